/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate, openDatabase } from '@botwright/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { migrations } from '../db/schema.ts'
import { startOn, startService } from './start-service.ts'
import { testWorld } from '../test-tools/driver.test.fixture.ts'
import { hashToken } from '../tokens.ts'
import { checkWorld } from '../world/world.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const folder = mkdtempSync(join(tmpdir(), 'botwright-durability-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const children = new Set<ChildProcess>()
afterAll(() => children.forEach((child) => child.kill('SIGKILL')))

/** The built service as a program, as its users start it. */
async function startProgram(...args: string[]) {
  const program = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))
  const child = spawn(process.execPath, [program, '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  const exited = once(child, 'exit') as Promise<[code: number | null]>
  let line = ''
  while (!line.includes('\n')) line += String(((await once(child.stdout, 'data')) as [Buffer])[0])
  const ready = JSON.parse(line) as { ready: boolean; url: string; base_url: string; page: string }
  return { child, exited, ready }
}

interface Sent {
  auth?: string
  method?: string
  body?: object
}

async function call(url: string, { auth = 'Bot token-of-pollster', method = 'GET', body }: Sent = {}) {
  const answer = await fetch(url, {
    method,
    headers: { authorization: auth, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- responses are loosely typed
  return { status: answer.status, body: (await answer.json()) as any }
}

const generalOf = async (baseUrl: string): Promise<string> => {
  const { channels } = (await call(`${baseUrl}/channels`)).body
  const { id } = (channels as { id: string; name: string }[]).find(({ name }) => name === 'general')!
  return `${baseUrl}/channels/${id}/messages`
}

describe('the program', () => {
  it('exits with code 0 on SIGTERM and on SIGINT, even with open connections', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const worldFile = join(folder, 'world.json')
      writeFileSync(worldFile, JSON.stringify(testWorld()))
      const { child, exited, ready } = await startProgram('--memory', '--world', worldFile)
      expect(ready).toEqual({ ready: true, url: ready.url, base_url: `${ready.url}/v1`, page: `${ready.url}/` })
      const { last } = (await call(`${ready.base_url}/events?after=0`)).body
      const poll = call(`${ready.base_url}/events?after=${last}&wait=25`)
      await call(`${ready.base_url}/me`)
      child.kill(signal)
      expect(await exited).toEqual([0, null])
      expect((await poll).body).toEqual({ events: [], last })
    }
  })

  it('reports in its ready line that the data file already contains a world', slow, async () => {
    const data = join(folder, 'resumed.db')
    for (const resumed of [undefined, true]) {
      const { child, exited, ready } = await startProgram('--data', data)
      expect((ready as { resumed?: boolean }).resumed).toBe(resumed)
      child.kill('SIGTERM')
      await exited
    }
  })

  it('warns in its ready line if other machines can reach it', slow, async () => {
    const { child, exited, ready } = await startProgram('--memory', '--host', '0.0.0.0')
    expect(ready).toHaveProperty('warning', expect.stringContaining('other machines can reach the service'))
    child.kill('SIGTERM')
    await exited
  })

  it('prints the key of its run in the URL of the page, with --key', slow, async () => {
    const { child, exited, ready } = await startProgram('--memory', '--key')
    const key = new URL(ready.page).hash.replace('#key=', '')
    expect(key.length).toBeGreaterThan(20)
    const people = `${ready.url}/people/v1/sessions`
    expect((await fetch(people)).status).toBe(401)
    expect((await fetch(people, { headers: { 'x-service-key': key } })).status).toBe(200)
    child.kill('SIGTERM')
    await exited
  })

  it(
    'names the bots whose event webhook on this machine receives nothing, until allowed',
    { tags: ['all/processes'] },
    async () => {
      const worldFile = join(folder, 'loopback.json')
      const event_webhook = { url: 'http://127.0.0.1:9/', secret: 'a secret of the webhook' }
      const bots = [{ username: 'helper', owner: 'ann', event_webhook }]
      writeFileSync(worldFile, JSON.stringify({ people: [{ username: 'ann' }], bots }))
      for (const [flags, warning] of [
        [[], expect.stringContaining('event webhook of helper')],
        [['--allow-loopback-webhooks'], undefined],
      ] as const) {
        const { child, exited, ready } = await startProgram('--memory', '--world', worldFile, ...flags)
        expect((ready as { warning?: string }).warning).toEqual(warning)
        child.kill('SIGTERM')
        await exited
      }
    },
  )

  it('loses no acknowledged message when it is killed during writes', slow, async () => {
    const data = join(folder, 'killed.db')
    const worldFile = join(folder, 'killed.json')
    writeFileSync(worldFile, JSON.stringify(testWorld()))
    const acknowledged = new Map<string, string>()
    for (let kill = 0; kill < 3; kill++) {
      const { child, exited, ready } = await startProgram('--data', data, '--world', worldFile)
      const people = `${ready.url}/people/v1`
      const { token } = (await call(`${people}/sessions`, { method: 'POST', body: { username: 'ann' } })).body
      const url = (await generalOf(ready.base_url)).replace(ready.base_url, people)
      let killed = false
      // Many writers at once, so that calls share transactions.
      const writer = async (_: unknown, name: number) => {
        for (let n = 0; !killed; n++) {
          const content = `${kill} ${name} ${n}`
          // The kill interrupts running calls, which were never acknowledged.
          const sent = { auth: `Person ${token}`, method: 'POST', body: { content } }
          const answer = await call(url, sent).catch(() => undefined)
          if (answer?.status === 200) acknowledged.set(answer.body.id as string, content)
        }
      }
      const writing = Promise.all(Array.from({ length: 20 }, writer))
      while (acknowledged.size < 100 * (kill + 1)) await new Promise((resolve) => setTimeout(resolve, 2))
      child.kill('SIGKILL')
      killed = true
      await Promise.all([writing, exited])
    }
    await using service = await startService({ port: 0, data })
    const db = openDatabase(data, { readOnly: true })
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    const rows = db.prepare<{ id: string; content: string }>('SELECT id, content FROM messages').all()
    const targets = db.prepare<{ id: string }>(
      "SELECT data ->> 'id' AS id FROM targets JOIN events ON events.id = event_id",
    )
    const events = new Set(targets.all().map(({ id }) => id))
    db.close()
    const kept = new Map(rows.map(({ id, content }) => [id, content]))
    const lost = [...acknowledged].filter(([id, content]) => kept.get(id) !== content || !events.has(id))
    expect(lost).toEqual([])
    expect((await call(`${service.base_url}/me`)).status).toBe(200)
  })
})

describe('a file', () => {
  it('of version 1 is migrated to the newest version with all its data', async () => {
    const data = join(folder, 'version-1.db')
    const old = openDatabase(data)
    migrate(old, migrations.slice(0, 1))
    old.exec(`
      INSERT INTO users (id, username, created_at) VALUES ('00000000-0000-0000-0000-00000000000a', 'ann', 1);
      INSERT INTO users (id, username, created_at, bot) VALUES ('00000000-0000-0000-0000-00000000000b', 'pollster', 1, 1);
      INSERT INTO bots (user_id, owner_id, token_hash, commands) VALUES ('00000000-0000-0000-0000-00000000000b',
        '00000000-0000-0000-0000-00000000000a', '${hashToken('token-of-pollster')}', '[{"name":"poll","description":"Asks"}]');
      INSERT INTO servers (id, name, owner_id, created_at) VALUES ('00000000-0000-0000-0000-00000000000c', 'Workshop',
        '00000000-0000-0000-0000-00000000000a', 1);
      INSERT INTO members (server_id, user_id, joined_at) SELECT '00000000-0000-0000-0000-00000000000c', id, 1 FROM users;
      INSERT INTO channels (id, server_id, type, name) VALUES ('00000000-0000-0000-0000-00000000000d',
        '00000000-0000-0000-0000-00000000000c', 'text', 'general');
      INSERT INTO messages (id, channel_id, author_id, content, embeds, components, created_at, posted_at) VALUES (
        '00000000-0000-0000-0000-00000000000e', '00000000-0000-0000-0000-00000000000d', '00000000-0000-0000-0000-00000000000a',
        'from long ago', '[]', '[]', 1, 1);
      INSERT INTO meta VALUES ('populated', '1')`)
    old.close()
    await using service = await startService({ port: 0, data })
    expect(service.resumed).toBe(true)
    const url = await generalOf(service.base_url)
    expect((await call(url)).body.messages).toMatchObject([
      { content: 'from long ago', author_id: service.world.people['ann']!.id },
    ])
    expect((await call(`${service.base_url}/commands`)).body.commands).toEqual([{ name: 'poll', description: 'Asks' }])
    expect((await call(url, { method: 'POST', body: { content: 'and now' } })).status).toBe(200)
    const auth = `Person ${service.world.people['ann']!.token}`
    expect((await call(`${service.url}/people/v1/bots`, { auth })).body.bots).toMatchObject([{ username: 'pollster' }])
    expect((await call(`${service.url}/people/v1/bots/listed`, { auth })).body.bots).toEqual([])
  })

  it('of a later release is not changed, and the error names the fix', async () => {
    const data = join(folder, 'later.db')
    const later = openDatabase(data)
    migrate(later, [...migrations, 'CREATE TABLE later (x)'])
    later.close()
    await expect(startService({ port: 0, data })).rejects.toMatchObject({
      code: 'newer_version',
      message: expect.stringContaining('use the release that wrote it'),
    })
  })

  it('keeps its own content rules, whatever world is given', async () => {
    const data = join(folder, 'rules.db')
    const world = { ...testWorld(), content_rules: { words: ['plum'], hosts: [] } }
    await (await startService({ port: 0, data, world })).close()
    await using service = await startService({ port: 0, data, world: testWorld() })
    const url = await generalOf(service.base_url)
    expect((await call(url, { method: 'POST', body: { content: 'a plum' } })).status).toBe(400)
    expect((await call(url, { method: 'POST', body: { content: 'slur-for-tests' } })).status).toBe(200)
  })

  it('does not open sessions when it is opened again', async () => {
    const data = join(folder, 'sessions.db')
    const first = await startService({ port: 0, data, world: testWorld() })
    const auth = `Person ${first.world.people['bob']!.token}`
    await first.close()
    const sessions = () => {
      using db = openDatabase(data, { readOnly: true })
      return db.prepare('SELECT user_id FROM sessions ORDER BY rowid').all()
    }
    const before = sessions()
    for (let restart = 0; restart < 2; restart++) await (await startService({ port: 0, data })).close()
    expect(sessions()).toEqual(before)
    await using service = await startService({ port: 0, data })
    expect((await call(`${service.url}/people/v1/me`, { auth })).status).toBe(200)
    const { token } = service.world.people['bob']!
    expect(service.world.people['bob']!.token).toBe(token)
    expect((await call(`${service.url}/people/v1/me`, { auth: `Person ${token}` })).status).toBe(200)
    expect(sessions().length).toBe(before.length + 1)
  })

  it('contains hashes of tokens, but no tokens', async () => {
    const data = join(folder, 'tokens.db')
    const service = await startService({ port: 0, data, world: testWorld() })
    const auth = `Person ${service.world.people['bob']!.token}`
    const made = await call(`${service.url}/people/v1/bots`, { auth, method: 'POST', body: { username: 'fresh' } })
    const secrets = ['token-of-pollster', service.world.people['bob']!.token, made.body.token as string]
    await service.close()
    const db = openDatabase(data, { readOnly: true })
    const tables = db.prepare<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const all = JSON.stringify(tables.map(({ name }) => db.prepare(`SELECT * FROM ${name}`).all()))
    db.close()
    expect(all).toContain(hashToken('token-of-pollster'))
    for (const secret of secrets) expect(all).not.toContain(secret)
  })
})

describe('a full disk', () => {
  it('refuses writes with an error body, still reads, and recovers by itself [spec: 4/messages.create]', async () => {
    const db = openDatabase(join(folder, 'full.db'))
    await using service = await startOn(db, { port: 0 }, checkWorld(testWorld()))
    const url = await generalOf(service.base_url)
    const post = (n: number) => call(url, { method: 'POST', body: { content: `${n} ${'x'.repeat(1900)}` } })
    const { page_count } = db.prepare<{ page_count: number }>('PRAGMA page_count').get()!
    db.exec(`PRAGMA max_page_count = ${page_count + 8}`)
    const answers = []
    for (let n = 0; n < 20; n++) answers.push(await post(n))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body } of refused) {
      expect([status, body.error]).toEqual([503, expect.stringContaining('free some space')])
    }
    const written = answers.filter(({ status }) => status === 200).map(({ body }) => body.id as string)
    const read = async () => {
      const { messages } = (await call(`${url}?limit=100`)).body as { messages: { id: string }[] }
      return messages.map(({ id }) => id)
    }
    expect(await read()).toEqual(written)
    db.exec('PRAGMA max_page_count = 100000')
    const healed = await post(100)
    expect(healed.status).toBe(200)
    expect(await read()).toEqual([...written, healed.body.id])
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  })
})
