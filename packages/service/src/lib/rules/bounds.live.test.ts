/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bounds } from './bounds.ts'
import { expectRefused, type Spec, startSpec } from '../spec/rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

let folder: string
let chat: Spec
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'botwright-bounds-'))
  chat = await startSpec({ data: join(folder, 'chat.db') })
})
afterEach(async () => {
  await chat.close()
  rmSync(folder, { recursive: true })
})

/** Runs a statement for each of `count` new ids directly in the database: thousands of calls would take too long. */
function insert(count: number, sql: string, ...values: string[]): void {
  using db = openDatabase(join(folder, 'chat.db'))
  const statement = db.prepare(sql)
  db.transaction(() => {
    for (let i = 0; i < count; i++) statement.run(`filler-${i}`, ...values)
  })
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const signIn = (username: string) => chat.call('POST', '/people/v1/sessions', { body: { username } })

it('limits the number of people, but lets existing ones sign in', async () => {
  insert(bounds.people - 8, 'INSERT INTO users (id, username, created_at) VALUES (?1, ?1, 1)')
  expect((await signIn('the-last-one')).status).toBe(200)
  expectRefused(
    await signIn('one-more'),
    403,
    `username: not allowed: the service can have at most ${bounds.people} people`,
  )
  expect((await signIn('the-last-one')).status).toBe(200)
  expect((await chat.person('sam', 'POST', '/bots', { username: 'a-bot' })).status).toBe(200)
})

it('ends the oldest sessions of a person', slow, async () => {
  const tokens: string[] = []
  for (let i = 0; i <= bounds.sessions_per_person; i++) tokens.push((await signIn('carol')).body.token as string)
  const status = async (token: string) => (await chat.call('GET', '/people/v1/me', { auth: `Person ${token}` })).status
  expect([await status(tokens[0]!), await status(tokens[1]!), await status(tokens.at(-1)!)]).toEqual([401, 200, 200])
  expect((await chat.person('bob', 'GET', '/me')).status).toBe(200)
})

it('limits the servers of a person', async () => {
  const owner = chat.userId('eve')
  insert(
    bounds.servers_per_person - 1,
    "INSERT INTO servers (id, name, owner_id, created_at) VALUES (?, 'x', ?, 1)",
    owner,
  )
  const create = () => chat.person('eve', 'POST', '/servers', { name: 'Garden' })
  expect((await create()).status).toBe(200)
  expectRefused(await create(), 403, `at most ${bounds.servers_per_person} servers`)
})

it.each([
  ['channels', bounds.channels_per_server - 7, "type, position) VALUES (?, ?, 'x', 'text', 9)"],
  ['categories', bounds.categories_per_server - 2, "position) VALUES (?, ?, 'x', 9)"],
  ['roles', bounds.roles_per_server - 4, "position) VALUES (?, ?, 'x', 1)"],
] as const)('limits the %s of a server; deleting one makes room', async (what, missing, rest) => {
  insert(missing - 1, `INSERT INTO ${what} (id, server_id, name, ${rest}`, chat.workshop.id)
  const create = () => chat.person('ann', 'POST', `${chat.server}/${what}`, { name: 'more' })
  const made = await create()
  expect(made.status).toBe(200)
  expectRefused(
    await create(),
    403,
    new RegExp(`at most ${missing + { channels: 7, categories: 2, roles: 4 }[what]} ${what}; delete one`),
  )
  const { id } = Object.values(made.body as Record<string, { id: string }>)[0]!
  const path = what === 'channels' ? `/channels/${id}` : `${chat.server}/${what}/${id}`
  expect((await chat.person('ann', 'DELETE', path)).status).toBe(200)
  expect((await create()).status).toBe(200)
})

it('limits the different emoji on a message, but not the people per emoji', async () => {
  const { id } = await chat.says('ann', 'x')
  const path = (emoji: string) => `${chat.messages()}/${id}/reactions/${encodeURIComponent(emoji)}`
  insert(
    bounds.emoji_per_message - 1,
    'INSERT INTO reactions (emoji, message_id, user_id) VALUES (?, ?, ?)',
    id,
    chat.userId('eve'),
  )
  expect((await chat.bot('PUT', path('👍'))).status).toBe(200)
  expectRefused(await chat.bot('PUT', path('👎')), 403, `at most ${bounds.emoji_per_message} different emoji`)
  expect((await chat.helper('PUT', path('👍'))).status).toBe(200)
})

async function postPicture(name: string) {
  const form = new FormData()
  form.append('file', new Blob([png]), 'a.png')
  const answer = await fetch(`${chat.service.url}/people/v1${chat.messages()}`, {
    method: 'POST',
    headers: { authorization: `Person ${chat.service.world.people[name]!.token}` },
    body: form,
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as { id: string } }
}
const putAvatar = (name: string) =>
  fetch(`${chat.service.url}/people/v1/me/avatar`, {
    method: 'PUT',
    headers: { authorization: `Person ${chat.service.world.people[name]!.token}`, 'content-type': 'image/png' },
    body: png,
  })

it("limits the pictures in a person's messages; deleting one makes room", slow, async () => {
  insert(
    bounds.pictures_per_person - 1,
    "INSERT INTO uploads (id, type, bytes, place, created_at, user_id) VALUES (?, 'image/png', x'00', 'attachment', 1, ?)",
    chat.userId('ann'),
  )
  const last = await postPicture('ann')
  expect(last.status).toBe(200)
  expectRefused(await postPicture('ann'), 403, `at most ${bounds.pictures_per_person} images; delete one`)
  expect((await chat.person('ann', 'GET', chat.messages())).body.messages).toHaveLength(1)
  expect((await postPicture('bob')).status).toBe(200)
  expect((await putAvatar('ann')).status).toBe(200)
  expect((await chat.person('ann', 'DELETE', `${chat.messages()}/${last.body.id}`)).status).toBe(200)
  expect((await postPicture('ann')).status).toBe(200)
})

it('limits the pictures of the service; a new avatar replaces the old one', async () => {
  expect((await putAvatar('ann')).status).toBe(200)
  insert(
    bounds.uploads - 1,
    "INSERT INTO uploads (id, type, bytes, place, created_at, user_id) VALUES (?, 'image/png', x'00', 'banner', 1, ?)",
    chat.userId('eve'),
  )
  expectRefused(await postPicture('bob'), 403, `at most ${bounds.uploads} images`)
  expect((await putAvatar('bob')).status).toBe(403)
  expect((await putAvatar('ann')).status).toBe(200)
})

it('limits the text of a search to what fits into the head of a request', async () => {
  const search = (count: number) =>
    chat.person('ann', 'GET', `/messages?text=${encodeURIComponent('🙂'.repeat(count))}`)
  expect((await search(500)).status).toBe(200)
  expectRefused(await search(501), 400, 'text: ')
})
