import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { openJournal } from '@botwright/events'
import { expect, onTestFinished, test } from 'vitest'
import { captureIo } from '../../../program/program-io.ts'
import { explainCommand } from './explain-command.ts'

function folderWith(...ids: number[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-unrecorded-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const journal = openJournal({
    file: join(folder, 'journal.db'),
    baseUrl: 'http://x/v1',
    botId: 'b',
    clock: systemClock,
  })
  const data = { author: 'ann', command: 'sum', content: '/sum 1', channel_name: 'general' }
  for (const id of ids)
    journal.setAside(
      { id, type: 'message', data, created_at: '2026-01-01T00:00:00Z' },
      'its handler blocked the thread',
    )
  journal.close()
  return folder
}

async function explained(cwd: string, event?: number | 'last', json = false) {
  const io = captureIo({ cwd, env: {} })
  const code = await explainCommand({ io, state: '.', json, ...(event !== undefined && { event }) })
  return { code, out: io.stdout.text, notes: io.stderr.text }
}

test('without a history, an event that was set aside is explained by the journal', async () => {
  const { code, out, notes } = await explained(folderWith(7, 8), 7)
  expect(code).toBe(0)
  expect(out).toMatch(
    /^#7 {2}2026-01-01 \S+ {2}\/sum {2}ann → #general\n {2}set aside \S+ \S+: its handler blocked the thread\n/,
  )
  expect(out).toContain('"framework replay 7" runs it again')
  expect(notes).toContain('set record: true in bot.config.ts')
})

test('without an id, all of them are listed', async () => {
  const { out } = await explained(folderWith(7, 8), undefined, true)
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: { id: number } })
  expect(lines.map(({ event }) => event.id).toSorted()).toEqual([7, 8])
  expect(lines[0]).toMatchObject({ recorded: false, set_aside: { reason: 'its handler blocked the thread' } })
})

test('the last one is that which was set aside last', async () => {
  expect((await explained(folderWith(7, 8), 'last')).out).toMatch(
    /^#8 .*\n {2}set aside .*\n {2}"framework replay 8".*\n$/,
  )
})

test('of other events nothing is known', async () => {
  const folder = folderWith(7)
  await expect(explained(folder, 9)).rejects.toThrow('"framework start" records with record: true in bot.config.ts')
})
