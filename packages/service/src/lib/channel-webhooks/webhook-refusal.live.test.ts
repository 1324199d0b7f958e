/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/no-unsafe-argument -- answers are read as loosely as they arrive */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startService } from '../start/start-service.ts'
import { startWebhooks, type Webhooks } from './rig.test.fixture.ts'

let chat: Webhooks
let url: string
let id: string
beforeEach(async () => {
  chat = await startWebhooks()
  const made = await chat.make('Build')
  url = made.url
  id = made.webhook.id
})
afterEach(() => chat.close())

const x = (count: number, part = 'x') => part.repeat(count)
const unknown = '00000000-0000-4000-8000-000000000000'
const pathOf = (address: string) => address.slice(chat.service.url.length)

describe('refusals have the body {message, code}', () => {
  it('10015, 404: unknown webhook [spec: 7/10015, 7/404]', async () => {
    for (const wrong of [unknown, 'x', '%00']) {
      const answers = [
        await chat.get(url.replace(id, wrong)),
        await chat.post(url.replace(id, wrong), { content: 'x' }),
      ]
      for (const { status, body } of answers) {
        expect([status, body]).toEqual([404, { message: expect.stringContaining('unknown webhook'), code: 10015 }])
      }
    }
    expect((await chat.get(url.replace(id, id.toUpperCase()))).status).toBe(200)
  })

  it('50027, 401: wrong token [spec: 7/50027, 7/401]', async () => {
    const other = (await chat.make('other')).url.split('/').at(-1)!
    for (const wrong of [`${url}x`, url.slice(0, -1), url.replace(/[^/]+$/, other)]) {
      for (const { status, body } of [await chat.get(wrong), await chat.post(wrong, { content: 'x' })]) {
        expect([status, body]).toEqual([401, { message: expect.stringContaining('wrong token'), code: 50027 }])
      }
    }
  })

  it('403: a Host header that names another host, such as behind a proxy [spec: decisions/49]', async () => {
    const { pathname } = new URL(url)
    const [response] = (await once(
      request(chat.service.url + pathname, { headers: { host: 'evil.example' } }).end(),
      'response',
    )) as [IncomingMessage]
    expect([response.statusCode, await json(response)]).toEqual([
      403,
      { message: 'not allowed: the Host header names another host', code: 0 },
    ])
  })

  it('50006, 400: empty message [spec: 7/50006, 7/400]', async () => {
    for (const empty of [
      {},
      { content: '' },
      { content: ' \n' },
      { embeds: [] },
      { content: null, embeds: null },
      { username: 'x' },
    ]) {
      const { status, body } = await chat.post(url, empty)
      expect([status, body]).toEqual([400, { message: 'content: a message needs content or embeds', code: 50006 }])
    }
  })

  it('50035, 400: invalid field, named in the text [spec: 7/50035]', async () => {
    const cases: [unknown, string][] = [
      [{ content: 5 }, 'content: must be a string'],
      [{ content: '', username: 5 }, 'username: must be a string'],
      [{ content: 'x', embeds: 'x' }, 'embeds: must be an array'],
      [{ content: 'x', embeds: [5] }, 'embeds[0]: must be an object'],
      [{ embeds: [{ color: 'red' }] }, 'embeds[0].color: must be'],
      [{ embeds: [{ timestamp: 'now' }] }, 'embeds[0].timestamp: must be'],
      [{ embeds: [{ image: 5 }] }, 'embeds[0].image: must be an object'],
      [{ content: 'x', avatar_url: 5 }, 'avatar_url: must be a string'],
      [[], 'must be an object'],
      ['x', 'must be an object'],
    ]
    for (const [sent, text] of cases) {
      const { status, body } = await chat.post(url, sent)
      expect([status, body.code, body.message]).toEqual([400, 50035, expect.stringContaining(text)])
    }
    for (const raw of ['{', '', '\xff', '[['.repeat(30)]) {
      const { status, body } = await chat.call('POST', pathOf(url), { raw })
      expect([status, body]).toEqual([400, { message: 'the body is not JSON', code: 50035 }])
    }
  })

  it('treats unlimited nesting as a bad field, not as a failure of the service', async () => {
    const deep = `{"content":"x","embeds":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    for (const raw of [deep, '[['.repeat(100_000)]) {
      const { status, body } = await chat.call('POST', pathOf(url), { raw })
      expect([status, body]).toEqual([400, { message: expect.stringContaining('nested deeper than 64'), code: 50035 }])
    }
  })

  it('50001, 403: the creator is banned from the server [spec: 7/50001, 7/403, decisions/44]', async () => {
    await chat.person('ann', 'POST', `${chat.server}/bans`, { user_id: chat.userId('dora') })
    for (const { status, body } of [await chat.post(url, { content: 'x' }), await chat.get(url)]) {
      expect([status, body]).toEqual([403, { message: expect.stringContaining('creator'), code: 50001 }])
    }
    await chat.person('ann', 'DELETE', `${chat.server}/bans/${chat.userId('dora')}`)
    expect((await chat.post(url, { content: 'x' })).status).toBe(204)
  })

  it('50001, 403: the server has no channel webhooks [spec: 7/50001, decisions/47]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'botwright-'))
    try {
      const data = join(folder, 'chat.db')
      const before = await startWebhooks(undefined, { data })
      const path = new URL((await before.make()).url).pathname
      await before.close()
      const db = openDatabase(data)
      db.exec(`UPDATE servers SET flags = '{"channel_webhooks":false}'`)
      db.close()
      await using off = await startService({ data, port: 0 })
      const body = JSON.stringify({ content: 'x' })
      for (const answer of [await fetch(off.url + path), await fetch(off.url + path, { method: 'POST', body })]) {
        expect([answer.status, await answer.json()]).toEqual([
          403,
          { message: 'cannot post here: channel_webhooks is not available on this server', code: 50001 },
        ])
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('applies the content rules, and counts violations for the creator', async () => {
    for (const sent of [{ content: 'slur-for-tests' }, { embeds: [{ title: 'http://adult.example' }] }]) {
      const { status, body } = await chat.post(url, sent)
      expect([status, body.code, body.message]).toEqual([400, 50035, expect.stringContaining('content rules')])
    }
    expect((await chat.post(url, { content: 'x' })).status).toBe(204)
    expect((await chat.post(url, { content: 'x', username: 'slur-for-tests' })).body.code).toBe(50035)
    expect((await chat.post(url, { content: 'x' })).body).toMatchObject({ code: 50001 })
    expect((await chat.person('dora', 'GET', '/me')).status).toBe(403)
  })

  it('other errors (path, method, size) have the same shape and do not contain the token', async () => {
    const token = url.split('/').at(-1)!
    const answers = [
      await chat.call('GET', `${pathOf(url)}/messages/5`),
      await chat.call('GET', '/webhooks/x'),
      await chat.call('DELETE', pathOf(url)),
      await chat.call('POST', pathOf(url), { raw: `"${x(1024 * 1024)}"` }),
    ]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 0],
      [404, 0],
      [405, 0],
      [413, 0],
    ])
    expect(answers[2]!.headers.get('allow')).toBe('GET, POST')
    for (const { body } of answers) {
      expect(Object.keys(body)).toEqual(['message', 'code'])
      expect(body.message).not.toContain(token)
    }
  })
})
