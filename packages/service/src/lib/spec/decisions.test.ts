/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  expectNever,
  expectOk,
  expectRefused,
  type Spec,
  specWorld,
  startSpec,
} from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

describe('the same message twice', () => {
  const row = { type: 'row', components: [{ type: 'button', style: 'primary', label: 'x', custom_id: 'x' }] }

  it('is 429 without Retry-After for 10 seconds, also of the last of several [spec: decisions/24, 7/429]', async () => {
    await chat.send({ content: 'same' })
    expectNever(await chat.send({ content: 'same' }), 'same message')
    await chat.clock.advance(9999)
    expectNever(await chat.send({ content: 'same' }), 'same message')
    await chat.clock.advance(1)
    expect((await chat.send({ content: 'same' })).status).toBe(200)
    expectNever(await chat.send({ content: 'same' }), 'same message')
  })

  it('is told by all four parts together [spec: decisions/24]', async () => {
    const { id } = await chat.says('ann', 'to reply to')
    const parts = { content: 'a', embeds: [{ title: 't' }], components: [row], reply_to: id }
    expect((await chat.send(parts)).status).toBe(200)
    expectNever(await chat.send(parts), 'same message')
    for (const other of [{ content: 'b' }, { embeds: [{ title: 'u' }] }, { components: [] }, { reply_to: undefined }]) {
      expect((await chat.send({ ...parts, ...other })).status).toBe(200)
    }
    expect((await chat.send(parts)).status).toBe(200)
  })

  it('is another one elsewhere, from another bot, after another one, and from people [spec: decisions/24]', async () => {
    await chat.send({ content: 'same' })
    expect((await chat.send({ content: 'same' }, 'random')).status).toBe(200)
    expect((await chat.helper('POST', chat.messages(), { content: 'same' })).status).toBe(200)
    expectNever(await chat.send({ content: 'same' }), 'same message')
    expect((await chat.send({ content: 'other' })).status).toBe(200)
    expect((await chat.send({ content: 'same' })).status).toBe(200)
    for (let i = 0; i < 2; i++)
      expect((await chat.person('ann', 'POST', chat.messages(), { content: 'same' })).status).toBe(200)
  })
})

describe('embed pictures', () => {
  const fields: [string, (url: string) => object][] = [
    ['image.url', (url) => ({ image: { url } })],
    ['thumbnail.url', (url) => ({ thumbnail: { url } })],
    ['author.icon_url', (icon_url) => ({ author: { name: 'a', icon_url } })],
    ['footer.icon_url', (icon_url) => ({ footer: { text: 'f', icon_url } })],
  ]

  it.each(fields)('%s comes from a host on the list, over https [spec: decisions/26, 7/400]', async (field, embed) => {
    let nonce = 0
    const send = (url: string) => chat.send({ content: `${nonce++}`, embeds: [{ title: 'first' }, embed(url)] })
    for (const host of [
      'i.imgur.com',
      'images.unsplash.com',
      'upload.wikimedia.org',
      'cdn.example.com',
      'CDN.example.com',
    ]) {
      expect((await send(`https://${host}/a.png`)).status).toBe(200)
    }
    for (const url of [
      'https://evil.example/a.png',
      'https://i.imgur.com.evil.example/a.png',
      'https://sub.i.imgur.com/a.png',
      'https://i.imgur.com@evil.example/a.png',
      'http://i.imgur.com/a.png',
      'http://127.0.0.1:1/a.png',
    ]) {
      expectRefused(await send(url), 400, `embeds[1].${field}`)
    }
    for (const url of ['javascript:alert(1)', 'data:image/png;base64,', 'x', '']) {
      expectRefused(await send(url), 400, `embeds[1].${field}: must be an http or https link`)
    }
  })

  it("may be the service's own, over http [spec: decisions/46]", async () => {
    const url = `${chat.service.url}/uploads/a.png`
    expect((await chat.send({ embeds: [{ image: { url } }] })).body.embeds).toEqual([{ image: { url } }])
  })

  it('are checked in edits too [spec: decisions/26]', async () => {
    const { id } = (await chat.send({ content: 'x' })).body
    const embeds = [{ image: { url: 'https://evil.example/a.png' } }]
    expectRefused(await chat.bot('PATCH', `${chat.messages()}/${id}`, { embeds }), 400, 'embeds[0].image.url')
  })
})

describe('content rules', () => {
  const bad = [
    { content: 'a slur-for-tests here' },
    { content: 'see https://www.adult.example/x' },
    { embeds: [{ title: 'slur-for-tests' }] },
  ]

  it('refuse the first two, and ban the bot and its owner at the third within an hour [spec: decisions/31, 7/401, 7/403]', async () => {
    expectRefused(await chat.send(bad[0]!), 400, 'content: holds a blocked word')
    expectRefused(await chat.send(bad[1]!), 400, 'content: holds a blocked link')
    expect((await chat.send({ content: 'fine' })).status).toBe(200)
    expectRefused(await chat.send(bad[2]!), 400, 'embeds: holds a blocked word')
    expectRefused(await chat.bot('GET', '/me'), 401, 'banned')
    expectRefused(await chat.person('ann', 'GET', '/me'), 403, 'banned')
    expect((await chat.person('bob', 'GET', '/me')).status).toBe(200)
    expect((await chat.stranger('GET', '/me')).status).toBe(200)
    expect((await chat.person('bob', 'GET', chat.messages())).body.messages).toMatchObject([{ content: 'fine' }])
  })

  it('forget what is an hour old [spec: decisions/31]', async () => {
    await chat.send(bad[0]!)
    await chat.clock.advance(1000)
    await chat.send(bad[0]!)
    await chat.clock.advance(60 * 60_000 - 1000)
    expectRefused(await chat.send(bad[0]!), 400, 'content')
    expect((await chat.bot('GET', '/me')).status).toBe(200)
    expectRefused(await chat.send(bad[0]!), 400, 'content')
    expectRefused(await chat.bot('GET', '/me'), 401, 'banned')
  })

  it('cover edits, answers and people [spec: decisions/31]', async () => {
    const { id } = (await chat.send({ content: 'fine' })).body
    expectRefused(await chat.bot('PATCH', `${chat.messages()}/${id}`, bad[0]), 400, 'content')
    const { answer } = await chat.clicked()
    expectRefused(await answer({ type: 'ephemeral', ...bad[0] }), 400, 'content')
    for (let i = 0; i < 3; i++) expectRefused(await chat.person('bob', 'POST', chat.messages(), bad[0]), 400, 'content')
    expectRefused(await chat.person('bob', 'GET', '/me'), 403, 'banned')
    expect((await chat.bot('GET', '/me')).status).toBe(200)
  })

  it('are whole words and hosts, and the world may set its own [spec: decisions/31]', async () => {
    expect((await chat.send({ content: 'slur-for-testsx and adult.example.org' })).status).toBe(200)
    const world = { ...specWorld(), content_rules: { words: ['fudge'], hosts: [] } }
    await using other = await startSpec({ world })
    expectRefused(await other.send({ content: 'oh FUDGE!' }), 400, 'blocked word')
    expect((await other.send({ content: 'slur-for-tests https://adult.example' })).status).toBe(200)
  })
})

describe('who manages', () => {
  const addHelper = (name: string, botId: string) => chat.person(name, 'PUT', `${chat.annexServer}/bots/${botId}`)

  it('the owner, or a member with manage_server; a bot that is not approved only by its owner [spec: decisions/37]', async () => {
    expectRefused(await addHelper('dora', chat.helperId), 403, 'not approved')
    const made = await chat.person('bob', 'POST', '/bots', { username: 'bobs-bot' })
    const botId = made.body.bot.id as string
    expectRefused(await addHelper('bob', botId), 403, 'manage_server')
    const { role } = (
      await chat.person('dora', 'POST', `${chat.annexServer}/roles`, {
        name: 'managers',
        permissions: ['manage_server'],
      })
    ).body
    expectOk(await chat.person('dora', 'PUT', `${chat.annexServer}/members/${chat.userId('bob')}/roles/${role.id}`))
    expectOk(await addHelper('bob', botId))
    expect((await chat.bot('GET', '/servers', undefined, made.body.token as string)).body.servers).toMatchObject([
      { name: 'Annex' },
    ])
  })
})

describe('windows', () => {
  it('slide: at most the limit in any 60 seconds, not in each minute of the clock [spec: decisions/40]', async () => {
    const { requests } = limits.messages
    let accepted = 0
    const times: number[] = []
    for (let second = 0; second < 180; second++) {
      const answer = await chat.send({ content: `${second}` })
      if (answer.status === 200) {
        accepted++
        times.push(second)
      } else expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      await chat.clock.advance(1000)
    }
    expect(accepted).toBe(3 * requests)
    for (const start of times) {
      expect(times.filter((time) => time >= start && time < start + 60).length).toBeLessThanOrEqual(requests)
    }
  })
})

describe('faults', () => {
  it('come only from the switches, which are not there without controls [spec: decisions/32]', async () => {
    expectRefused(await chat.call('POST', '/controls/v1/faults', { body: {} }), 404, 'no such path')
    await using other = await startSpec({ controls: true })
    const fault = (then: unknown) =>
      other.call('POST', '/controls/v1/faults', { body: { path: '/v1/me', method: 'GET', times: 1, then } })
    for (const status of [500, 502, 503, 504]) {
      expectOk(await fault({ status, body: '<html>sorry</html>' }))
      const answer: Answer = await other.bot('GET', '/me')
      expect([answer.status, answer.body]).toEqual([status, '<html>sorry</html>'])
      expect((await other.bot('GET', '/me')).status).toBe(200)
    }
    for (const then of ['close', 'cut']) {
      expectOk(await fault(then))
      await expect(other.bot('GET', '/me')).rejects.toThrow()
      expect((await other.bot('GET', '/me')).status).toBe(200)
    }
  })
})
