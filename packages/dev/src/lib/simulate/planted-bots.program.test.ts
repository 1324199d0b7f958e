import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import type { Finding } from './finding.ts'
import { plantedBots } from './planted-bots.test.fixture.ts'

const SEEDS = process.env['SEEDS'] ?? '60'

test.for(plantedBots)('finds $name', async ({ kinds, at, files }) => {
  await using draft = await BotDraft.make({ ...files })
  const { stdout, stderr } = await draft.framework(['simulate', '--seeds', SEEDS, '--json'])
  const { findings } = JSON.parse(stdout || `{"findings":[{"text":${JSON.stringify(stderr)}}]}`) as {
    findings: Finding[]
  }
  const places = findings.filter(({ kind }) => kinds.includes(kind)).map(({ file, line }) => `${file}:${line}`)
  expect(places.filter((place) => at.test(place)).length, JSON.stringify(findings, undefined, 1)).toBeGreaterThan(0)
  if (process.env['SHOW'])
    console.log(JSON.stringify(findings.map(({ kind, file, line, seed }) => ({ kind, file, line, seed }))))
})
