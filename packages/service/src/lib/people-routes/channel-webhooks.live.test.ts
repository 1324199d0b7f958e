/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call, typescript/no-unsafe-return, typescript/no-unsafe-argument -- answers are read as loosely as they arrive */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashToken } from '../tokens.ts'
import { startWebhooks, type Webhooks } from '../channel-webhooks/rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

let chat: Webhooks
beforeEach(async () => void (chat = await startWebhooks()))
afterEach(() => chat.close())

const unknown = '00000000-0000-4000-8000-000000000000'

describe('managing channel webhooks', () => {
  it('returns the URL once, to the creator of the webhook', async () => {
    const { webhook, url } = await chat.make('Build')
    expect(webhook).toEqual({
      id: expect.any(String),
      name: 'Build',
      avatar_url: null,
      channel_id: chat.workshop.channels['general'],
      server_id: chat.workshop.id,
      creator: { id: chat.userId('dora'), username: 'dora', display_name: null, avatar_url: null, bot: false },
      created_at: expect.any(String),
    })
    expect(url).toMatch(new RegExp(`^${chat.service.url}/webhooks/${webhook.id}/[\\w-]{43}$`))
    const listed = await chat.list()
    expect(listed.body).toEqual({ webhooks: [webhook] })
    expect(JSON.stringify(listed.body)).not.toContain(url.split('/').at(-1))
  })

  it('requires the permission manage_webhooks, visibility of the channel, and membership [spec: 7/403, 7/404]', async () => {
    const { webhook, url } = await chat.make()
    const calls = (by: string) => [
      () => chat.create('x', by),
      () => chat.list(by),
      () => chat.person(by, 'POST', `/webhooks/${webhook.id}/url`),
      () => chat.person(by, 'DELETE', `/webhooks/${webhook.id}`),
    ]
    for (const call of calls('bob')) {
      const { status, body } = await call()
      expect([status, body.error]).toEqual([403, 'not allowed: requires a role with the permission manage_webhooks'])
    }
    await chat.person('dora', 'DELETE', `${chat.server}/members/me`)
    for (const call of calls('dora')) expect((await call()).status).toBe(403)
    expect((await chat.person('ann', 'DELETE', `/webhooks/${unknown}`)).status).toBe(404)
    expect((await chat.person('ann', 'POST', `/webhooks/${unknown}/url`)).status).toBe(404)
    expect((await chat.person('ann', 'DELETE', '/webhooks/x')).status).toBe(400)
    expect((await chat.post(url, { content: 'still there' })).status).toBe(204)
  })

  it('hides webhooks of private channels from people without access', async () => {
    const made = await chat.make('Secret', 'ann', 'staff')
    expect((await chat.create('x', 'dora', 'staff')).status).toBe(404)
    expect((await chat.list('dora', 'staff')).status).toBe(404)
    expect((await chat.person('dora', 'DELETE', `/webhooks/${made.webhook.id}`)).status).toBe(404)
  })

  it('allows 10 per channel [spec: 8/channel_webhooks]', async () => {
    const { per_channel } = limits.channel_webhooks
    for (let i = 1; i <= per_channel; i++) await chat.make(`hook ${i}`)
    const refused = await chat.create('one more')
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'channel_id: a channel can have at most 10 webhooks; delete one first',
    ])
    await chat.make('elsewhere', 'dora', 'random')
    const { webhooks } = (await chat.list()).body
    expect(webhooks.map((each: { name: string }) => each.name)).toEqual(
      Array.from({ length: per_channel }, (_, i) => `hook ${i + 1}`),
    )
    expect((await chat.person('dora', 'DELETE', `/webhooks/${webhooks[3].id}`)).body).toEqual({ ok: true })
    await chat.make('one more')
  })

  it('explains what is wrong with a name, a picture or a channel [spec: 8/channel_webhook_username]', async () => {
    for (const name of ['x', 'x'.repeat(79), '👍'.repeat(80)]) await chat.make(name)
    const cases: [object, string][] = [
      [{ name: 'x'.repeat(81) }, 'name: must be at most 80 characters'],
      [{ name: '' }, 'name: must not be empty'],
      [{ name: ' \n' }, 'name: must not be empty'],
      [{}, 'name: is required (string)'],
      [{ name: 'a slur-for-tests' }, 'name: contains a blocked word'],
      [{ name: 'x', avatar_url: 'https://evil.example/a.png' }, 'avatar_url: images from evil.example'],
      [{ name: 'x', avatar_url: 'ftp://i.imgur.com/a.png' }, 'avatar_url: must be'],
    ]
    for (const [body, text] of cases) {
      const refused = await chat.person('dora', 'POST', `${chat.channel('general')}/webhooks`, body)
      expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(text)])
    }
    expect((await chat.create('x', 'dora', 'Lounge')).body.error).toBe(
      'channel_id: only text channels of servers can have webhooks',
    )
    const { channel_id } = (await chat.person('ann', 'POST', `/users/${chat.userId('dora')}/dm`)).body
    expect((await chat.person('dora', 'POST', `/channels/${channel_id}/webhooks`, { name: 'x' })).status).toBe(403)
  })

  it('a new URL works, and the old one stops working immediately [spec: 7/50027, decisions/44]', async () => {
    const { webhook, url } = await chat.make()
    const fresh = (await chat.person('ann', 'POST', `/webhooks/${webhook.id}/url`)).body
    expect(fresh.webhook).toEqual(webhook)
    expect(fresh.url).not.toBe(url)
    const refused = await chat.post(url, { content: 'x' })
    expect([refused.status, refused.body.code]).toEqual([401, 50027])
    expect((await chat.post(fresh.url, { content: 'x' })).status).toBe(204)
  })

  it('deleting a webhook invalidates its URL and keeps its messages [spec: 7/10015]', async () => {
    const { webhook, url } = await chat.make()
    await chat.post(url, { content: 'stays' })
    await chat.person('dora', 'DELETE', `/webhooks/${webhook.id}`)
    const refused = await chat.post(url, { content: 'x' })
    expect([refused.status, refused.body.code]).toEqual([404, 10015])
    expect((await chat.shown()).messages).toMatchObject([{ content: 'stays', author: 'Build' }])
    expect((await chat.list()).body).toEqual({ webhooks: [] })
  })

  it('deletes webhooks with their channel', async () => {
    const { url } = await chat.make('x', 'dora', 'random')
    await chat.person('ann', 'DELETE', chat.channel('random'))
    expect((await chat.get(url)).body.code).toBe(10015)
  })

  it('notifies only the pages of managers, without the URL', async () => {
    const heard: Record<string, string> = {}
    const abort = new AbortController()
    const pages = ['ann', 'dora', 'bob'].map(async (name) => {
      const { token } = chat.service.world.people[name]!
      const answer = await fetch(`${chat.service.url}/people/v1/stream?token=${token}`, { signal: abort.signal })
      heard[name] = ''
      const read = async () => {
        for await (const part of answer.body!) heard[name] += Buffer.from(part).toString()
      }
      return { ended: read().catch(() => undefined) }
    })
    const open = await Promise.all(pages)
    const { webhook, url } = await chat.make('Build', 'dora')
    await chat.person('ann', 'DELETE', `/webhooks/${webhook.id}`)
    await chat.person('ann', 'POST', `${chat.channel('general')}/messages`, { content: 'the end' })
    await expect.poll(() => ['ann', 'dora', 'bob'].every((name) => heard[name]!.includes('the end'))).toBe(true)
    abort.abort()
    await Promise.all(open.map(({ ended }) => ended))
    const received = (name: string) =>
      [...heard[name]!.matchAll(/event: channel_webhooks\ndata: (.*)\n/g)].map(([, data]) => JSON.parse(data!))
    for (const name of ['ann', 'dora']) {
      expect(received(name)).toEqual([
        { channel_id: chat.workshop.channels['general'], server_id: chat.workshop.id, webhooks: [webhook] },
        { channel_id: chat.workshop.channels['general'], server_id: chat.workshop.id, webhooks: [] },
      ])
    }
    expect(received('bob')).toEqual([])
    expect(JSON.stringify(heard)).not.toContain(url.split('/').at(-1))
  })
})

it('stores only the hash of the token', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-'))
  try {
    await using kept = await startWebhooks(undefined, { data: join(folder, 'chat.db') })
    const { url } = await kept.make()
    const token = url.split('/').at(-1)!
    const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'))
    expect(stored.some((text) => text.includes(hashToken(token)))).toBe(true)
    expect(stored.some((text) => text.includes(token))).toBe(false)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it.each(['the webhook', 'a deleted webhook'])(
  'counts upheld reports of posts of %s against its creator, who is banned by the third [spec: decisions/55]',
  slow,
  async (which) => {
    await using chat = await startWebhooks((world) => {
      world.people!.push({ username: 'stan', staff: true })
    })
    const { url, webhook } = await chat.make()
    const posts: string[] = []
    for (const content of ['one', 'two', 'three']) {
      posts.push((await chat.post(url, { content, username: `name ${content}` }, '?wait=true')).body.id as string)
    }
    if (which === 'a deleted webhook') await chat.person('dora', 'DELETE', `/webhooks/${webhook.id}`)
    for (const message_id of posts) {
      expect((await chat.person('dora', 'GET', '/me')).status).toBe(200)
      const { report } = (await chat.person('ann', 'POST', '/reports', { message_id, reason: 'bad' })).body
      expect((await chat.person('stan', 'POST', `/reports/${report.id}/decision`, { uphold: true })).status).toBe(200)
    }
    expect((await chat.person('dora', 'GET', '/me')).status).toBe(403)
    const { status, body } = await chat.post(url, { content: 'again' })
    expect([status, body.code]).toEqual(which === 'the webhook' ? [403, 50001] : [404, 10015])
  },
)

it('the author of a post is not an account: it has no profile, no direct messages, and cannot be banned', async () => {
  await using chat = await startWebhooks()
  const { url } = await chat.make()
  for (const username of [undefined, 'another name']) {
    const { author_id: user_id } = (await chat.post(url, { content: 'x', username }, '?wait=true')).body
    for (const [method, path, body] of [
      ['GET', `/users/${user_id}`, undefined],
      ['POST', `/users/${user_id}/dm`, undefined],
      ['POST', `${chat.server}/bans`, { user_id }],
      ['POST', `${chat.server}/kick`, { user_id }],
      ['POST', `${chat.server}/timeouts`, { user_id, minutes: 1 }],
    ] as const) {
      const { status } = await chat.person('ann', method, path, body)
      expect(`${status} ${method} ${path}`).toBe(`404 ${method} ${path}`)
    }
    expect((await chat.person('ann', 'GET', `${chat.server}/bans`)).body.bans).toEqual([])
  }
})

it('refuses webhooks on a server without the flag [spec: decisions/47]', async () => {
  await using off = await startWebhooks((world) => (world.servers![0]!.flags = { channel_webhooks: false }))
  for (const { status, body } of [await off.create(), await off.list()]) {
    expect([status, body.error]).toEqual([403, 'not allowed: channel_webhooks is not available on this server'])
  }
})
