import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { expect, test } from 'vitest'
import { openJournal } from './journal.ts'

test('is synced once a second, also if nothing follows, with the first position, and when the ids start again', async () => {
  const modes: string[] = []
  const asked: string[] = []
  const watched: typeof openDatabase = (...args) => {
    const db = openDatabase(...args)
    const exec = db.exec.bind(db)
    const prepare = db.prepare.bind(db)
    return Object.assign(db, {
      exec(sql: string) {
        if (sql.startsWith('PRAGMA synchronous')) modes.push(sql.split(' ').at(-1)!)
        exec(sql)
      },
      prepare<R>(sql: string) {
        asked.push(sql)
        return prepare<R>(sql)
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
  await clock.advance(900)
  journal.commit({ done: [7] })
  expect(modes.splice(0)).toEqual(['FULL'])
  journal.commit({ done: [8] })
  asked.length = 0
  await clock.advance(999)
  expect(asked).toEqual([])
  await clock.advance(1)
  expect(asked).toEqual(['PRAGMA wal_checkpoint(PASSIVE)'])
  journal.commit({ done: [9] })
  journal.close()
  expect(clock.waiting).toBe(0)
})
