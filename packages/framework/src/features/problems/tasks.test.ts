import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { Definition } from '../../author/files/entries.ts'
import { SqliteStore } from '../stored-state/sqlite-store.ts'
import { lastKey } from '../tasks/runtime/scheduler.ts'
import { switchOff } from '../switches/change.ts'
import { taskText, tasksOf } from './tasks.ts'

const MINUTE_MS = 60_000
const task = (name: string, schedule: object = {}): Definition => ({
  ...{ kind: 'task', name, file: `tasks/${name}.ts` },
  schedule: { missed: 'once', retry: true, ...schedule },
})

async function viewsOf(definitions: Definition[], nowMs: number, prepare?: (store: SqliteStore) => Promise<unknown>) {
  const clock = new VirtualClock()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const store = new SqliteStore({ file: ':memory:', botId: 'b', clock, log })
  await prepare?.(store)
  const views = await tasksOf(definitions, { store, nowMs, files: [] })
  store.close()
  return views
}

test('a task that has never run has a reason', async () => {
  const definitions = [task('daily', { cron: '0 9 * * *' }), task('later'), task('off', { everyMs: MINUTE_MS })]
  const views = await viewsOf(definitions, 0, (store) => switchOff(store, { name: 'tasks/off', sinceMs: 0 }))
  expect(views.map(({ name, reason }) => [name, reason])).toEqual([
    ['daily', 'its first run is not due yet'],
    ['later', 'it has no schedule, and no run of a handler waits'],
    ['off', 'it is switched off'],
  ])
})

test('a run that no instance begins is overdue', async () => {
  const pattern = JSON.stringify([MINUTE_MS, null])
  const prepare = (store: SqliteStore) => store.set(lastKey('beat'), { scheduledAtMs: 1, state: 'done', pattern }, {})
  const [view] = await viewsOf([task('beat', { everyMs: MINUTE_MS })], 10 * MINUTE_MS, prepare)
  expect(view).toMatchObject({ schedule: 'every 1 min', timezone: null, last: null })
  expect(view!.reason).toMatch(/^its run is overdue/)
})

test('a task has a line in the log, and a task that is switched off has no next run', async () => {
  const pattern = JSON.stringify([MINUTE_MS, null])
  const prepare = async (store: SqliteStore) => {
    for (const name of ['beat', 'off'])
      await store.set(lastKey(name), { scheduledAtMs: MINUTE_MS, state: 'done', pattern }, {})
    await switchOff(store, { name: 'tasks/off', sinceMs: 0 })
  }
  const every = { everyMs: MINUTE_MS }
  const definitions = [task('beat', every), task('daily', { cron: '0 9 * * *' }), task('off', every)]
  expect((await viewsOf(definitions, 90_000, prepare)).map(taskText)).toEqual([
    'tasks/beat.ts: every 1 min, next run 1970-01-01T00:02:00.000Z, last run 1970-01-01T00:01:00.000Z (done)',
    'tasks/daily.ts: 0 9 * * * UTC, next run 1970-01-01T09:00:00.000Z, it has never run, its first run is not due yet',
    'tasks/off.ts: every 1 min, last run 1970-01-01T00:01:00.000Z (done), it is switched off',
  ])
})
