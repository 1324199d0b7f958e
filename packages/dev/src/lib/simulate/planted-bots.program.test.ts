import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import type { Finding } from './finding.ts'
import { type PlantedBot, plantedBots } from './planted-bots.test.fixture.ts'

/** The first plays: each fault is found within them. */
const seedsOf = (bot: PlantedBot) => process.env['SEEDS'] ?? (isUsual(bot) ? '3' : '12')

async function finds(bot: PlantedBot): Promise<void> {
  const { kinds, at, files } = bot
  await using draft = await BotDraft.make({ ...files })
  const { stdout, stderr } = await draft.framework(['simulate', '--seeds', seedsOf(bot), '--json'])
  expect(stderr).toBe('')
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const found = findings.filter(({ kind, file, line }) => kinds.includes(kind) && at.test(`${file}:${line}`))
  expect(found.length, stdout).toBeGreaterThan(0)
}

const isUsual = ({ name }: PlantedBot) => name === 'a cooldown that a restart resets'

test.for(plantedBots.filter(isUsual))('finds $name', finds)

test.for(plantedBots.filter((one) => !isUsual(one)))('finds $name', { tags: 'all/seeds' }, finds)
