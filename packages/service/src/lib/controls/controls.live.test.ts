/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call -- answers are read as loosely as they arrive */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startOn, startService } from '../start/start-service.ts'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { checkWorld } from '../world/world.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => void (chat = await startTest({ controls: true })))
afterAll(() => chat.close())

describe('controls', () => {
  it('make the next responses fail, and record calls in the journal', async () => {
    const fault = (body: object) => chat.call('POST', '/controls/v1/faults', { body: { path: '/v1/me', ...body } })
    await fault({ then: { status: 503, body: '<html>' } })
    expect(await chat.bot('GET', '/me')).toMatchObject({ status: 503, body: '<html>' })
    for (const then of ['close', 'cut']) {
      await fault({ then })
      await expect(chat.bot('GET', '/me')).rejects.toThrow()
    }
    expect((await chat.bot('GET', '/me')).status).toBe(200)
    const { calls } = (await chat.call('GET', '/controls/v1/journal')).body
    expect(calls.at(-1)).toMatchObject({ bot: 'pollster', method: 'GET', path: '/v1/me', status: 200 })
  })

  it('advance the clock, and reset to the same ids', async () => {
    const before = (await chat.bot('GET', '/me')).body.id
    expect((await chat.call('POST', '/controls/v1/clock', { body: { advance_seconds: 60 } })).status).toBe(200)
    expect((await chat.call('POST', '/controls/v1/reset')).body).toEqual({ ok: true })
    expect((await chat.bot('GET', '/me')).body.id).toBe(before)
    expect((await chat.bot('GET', `${chat.channel('general')}/messages`)).body.messages).toEqual([])
  })

  it('reset under a running bot: it keeps its commands, and the ids of events continue', async () => {
    await chat.bot('PUT', '/commands', { commands: [{ name: 'ping', description: 'Answers' }] })
    await chat.events()
    await chat.call('POST', '/controls/v1/reset')
    const { token } = (await chat.call('POST', '/people/v1/sessions', { body: { username: 'ann' } })).body
    const path = `/people/v1${chat.channel('general')}/messages`
    await chat.call('POST', path, { auth: `Person ${token}`, body: { content: '/ping now' } })
    const events = await chat.events()
    expect(events.at(-1)).toMatchObject({ type: 'message', data: { command: 'ping' } })
  })

  it('reset nothing if the initial world cannot be written', async () => {
    const db = openDatabase(':memory:')
    await using service = await startOn(db, { port: 0, controls: true }, checkWorld(testWorld()))
    const call = async (method: string, path: string) => {
      const answer = await fetch(service.url + path, { method, headers: { authorization: 'Bot token-of-pollster' } })
      return { status: answer.status, body: (await answer.json()) as object }
    }
    const before = await call('GET', '/v1/servers')
    db.exec("CREATE TRIGGER broken BEFORE INSERT ON roles BEGIN SELECT RAISE(ABORT, 'broken'); END")
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await call('POST', '/controls/v1/reset')).status).toBe(500)
    vi.restoreAllMocks()
    expect(await call('GET', '/v1/servers')).toEqual(before)
    db.exec('DROP TRIGGER broken')
    expect((await call('POST', '/controls/v1/reset')).status).toBe(200)
    expect((await call('GET', '/v1/servers')).body).toMatchObject({ servers: [{ name: 'Workshop' }] })
  })
})

describe('worlds', () => {
  it('are refused with the name of the invalid field', async () => {
    const world = testWorld()
    world.servers![0]!.owner = 'nobody'
    await expect(startService({ port: 0, world })).rejects.toMatchObject({
      code: 'ERR_WORLD',
      message: expect.stringContaining('servers[0].owner') as string,
    })
  })

  it('resume from a file, including tokens', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botwright-service-'))
    const data = join(folder, 'chat.db')
    try {
      const first = await startTest({ data })
      const { id } = (await first.bot('POST', `${first.channel('general')}/messages`, { content: 'kept' })).body
      await first.close()
      await using second = await startService({ port: 0, data, world: {} })
      expect(second.resumed).toBe(true)
      const general = second.world.servers['Workshop']!.channels['general']!
      const answer = await fetch(`${second.base_url}/channels/${general}/messages/${id}`, {
        headers: { authorization: 'Bot token-of-pollster' },
      })
      expect(await answer.json()).toMatchObject({ content: 'kept' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
