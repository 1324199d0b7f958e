import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { expect, test } from 'vitest'
import { openJournal } from './journal.ts'

test('is synced once a second, with the first position, and when the ids start again', async () => {
  const modes: string[] = []
  const watched: typeof openDatabase = (...args) => {
    const db = openDatabase(...args)
    const exec = db.exec.bind(db)
    return Object.assign(db, {
      exec(sql: string) {
        if (sql.startsWith('PRAGMA synchronous')) modes.push(sql.split(' ').at(-1)!)
        exec(sql)
      },
    })
  }
  const clock = new VirtualClock()
  using journal = openJournal({ file: ':memory:', baseUrl: 'http://x/v1', botId: 'b', clock, openDatabase: watched })
  journal.commit({ done: [5] })
  expect(modes).toEqual([])
  for (const group of [{ cursor: { after: 1, savedAtMs: 0 } }, { reset: true }]) {
    journal.commit(group)
    journal.commit({ cursor: { after: 2, savedAtMs: 0 }, done: [6] })
    expect(modes.splice(0)).toEqual(['FULL', 'NORMAL'])
  }
  await clock.advance(1000)
  journal.commit({ done: [7] })
  expect(modes).toEqual(['FULL'])
})
