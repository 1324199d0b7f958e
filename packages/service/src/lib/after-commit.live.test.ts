/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { atomically, type Chat } from './chat.ts'
import { memoryDatabase } from './db/memory-database.ts'
import { preparedSql } from './db/sql.ts'
import { startTest } from './test-tools/driver.test.fixture.ts'

let folder: string
let data: string
let chat: Awaited<ReturnType<typeof startTest>>
const logged: string[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'botwright-after-commit-'))
  data = join(folder, 'chat.db')
  chat = await startTest({ data, controls: true })
  vi.spyOn(console, 'error').mockImplementation((...parts: unknown[]) => void logged.push(parts.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  logged.length = 0
  await chat.close()
  rmSync(folder, { recursive: true })
})

/** Drops a table of the running service, so that everything that reads it fails from now on. */
function drop(table: string): void {
  using db = openDatabase(data)
  db.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`)
}

/** Opens a page for a person, so that stream events are sent. */
async function openPage(name: string) {
  const token = chat.service.world.people[name]!.token
  const answer = await fetch(`${chat.service.url}/people/v1/stream?token=${token}`)
  const reader = answer.body!.getReader()
  await reader.read()
  return reader
}

it('a stored message gets a 200 even if the inspector fails', async () => {
  const page = await openPage('ann')
  expect((await chat.person('ann', 'GET', `/bots/${chat.botId}/journal`)).status).toBe(200)
  drop('answers')
  const answer = await chat.bot('POST', `${chat.channel('general')}/messages`, { content: 'once' })
  expect([answer.status, answer.body.content]).toEqual([200, 'once'])
  expect(logged).toEqual([expect.stringMatching(/inspector.*no such table.*answers/s)])
  await page.cancel()
})

it('an event is delivered and its call succeeds even if the inspector fails', async () => {
  const page = await openPage('ann')
  await chat.person('ann', 'GET', `/bots/${chat.botId}/journal`)
  const { last } = (await chat.bot('GET', '/events?after=0')).body
  const poll = chat.bot('GET', `/events?after=${last}&wait=25`)
  await expect.poll(() => chat.service.observer.bot(chat.botId).polls).toBe(true)
  drop('answers')
  const answer = await chat.person('ann', 'POST', `${chat.channel('general')}/messages`, { content: 'once' })
  expect(answer.status).toBe(200)
  expect((await poll).body.events).toMatchObject([{ type: 'message', data: { content: 'once' } }])
  expect(logged.join()).toMatch(/no such table.*answers/)
  await page.cancel()
})

it('a refusal is unchanged even if the journal of calls fails', async () => {
  drop('bots')
  const answer = await chat.call('GET', '/v1/nothing', { auth: 'Bot token-of-pollster' })
  expect(answer.status).toBe(404)
  expect(logged.join()).toMatch(/journal.*no such table.*bots/s)
})

it('a click whose state cannot be read on expiry does not end the process', async () => {
  await chat.clicked()
  drop('answers')
  await chat.clock.advance(3000)
  expect(logged.join()).toMatch(/no such table.*answers/)
})

it('a bot that goes offline while the data file fails does not end the process', async () => {
  await chat.bot('GET', '/events?after=0')
  drop('voice')
  await chat.clock.advance(10_000)
  expect(logged.join()).toMatch(/no such table.*voice/)
})

it('a failing page affects neither other pages nor the response', async () => {
  const heard: string[] = []
  const [ann, bob] = [chat.userId('ann'), chat.userId('bob')]
  chat.service.observer.person(ann, () => {
    throw new Error('this page is broken')
  })
  chat.service.observer.person(bob, ({ type }) => void heard.push(type))
  const answer = await chat.bot('POST', `${chat.channel('general')}/messages`, { content: 'once' })
  expect([answer.status, heard]).toEqual([200, ['message_create']])
  await expect.poll(() => logged.join()).toContain('this page is broken')
})

it('runs all callbacks after a commit, even if one fails, and none after a rollback', () => {
  using db = memoryDatabase()
  const of = { sql: preparedSql(db), afterCommit: [] } as unknown as Chat
  const ran: string[] = []
  const notes = (fail: boolean) => () => {
    of.afterCommit.push(() => {
      ran.push('first')
      throw new Error('broken')
    })
    of.afterCommit.push(() => void ran.push('second'))
    if (fail) throw new Error('rolled back')
    return 'done'
  }
  expect(() => atomically(of, notes(true))).toThrow('rolled back')
  expect([ran, of.afterCommit]).toEqual([[], []])
  expect(atomically(of, notes(false))).toBe('done')
  expect(ran).toEqual(['first', 'second'])
  expect(logged).toEqual([expect.stringContaining('broken')])
})
