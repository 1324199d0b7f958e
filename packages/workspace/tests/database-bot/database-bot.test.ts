import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { openDatabase } from '@botwright/sqlite'
import { expect, onTestFinished, test } from 'vitest'

// The bot of "Your own database" in packages/framework/docs/resources.md.

/** Starts the bot on a database of its own. */
function start(workers = false) {
  const folder = mkdtempSync(join(tmpdir(), 'books-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const DB = join(folder, 'books.db')
  return { DB, starting: startTestBot(new URL('.', import.meta.url), { env: { DB }, workers }) }
}

test('each book has one reader, also after a restart', async () => {
  await using chat = await start().starting
  expect(await chat.person('ann').says('/borrow Momo')).toHaveReplied('You have Momo.')
  await chat.restartBot()
  expect(await chat.person('bob').says('/borrow Momo')).toHaveReplied('Someone else has Momo.')
})

test.each([false, true])('a test reads the database of its bot (workers: %s)', async (workers) => {
  const { DB, starting } = start(workers)
  {
    await using chat = await starting
    expect(await chat.person('ann').says('/borrow Momo')).toHaveReplied('You have Momo.')
  }
  using db = openDatabase(DB)
  expect(db.prepare('SELECT title, reader FROM books').all()).toEqual([{ title: 'Momo', reader: 'ann' }])
})

test('a bot whose database does not open does not start, and the error names the file', async () => {
  const env = { DB: '/no/such/folder/books.db' }
  const url = new URL('.', import.meta.url)
  await expect(startTestBot(url, { env })).rejects.toThrow(/^resources\/db\.ts:6: open failed: /)
})
