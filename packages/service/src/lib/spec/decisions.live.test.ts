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

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

describe('the same message twice', () => {
  const row = { type: 'row', components: [{ type: 'button', style: 'primary', label: 'x', custom_id: 'x' }] }

  it('is 429 without Retry-After for 10 seconds, also after several messages [spec: decisions/24, 7/429]', async () => {
    await chat.send({ content: 'same' })
    expectNever(await chat.send({ content: 'same' }), 'same message')
    await chat.clock.advance(9999)
    expectNever(await chat.send({ content: 'same' }), 'same message')
    await chat.clock.advance(1)
    expect((await chat.send({ content: 'same' })).status).toBe(200)
    expectNever(await chat.send({ content: 'same' }), 'same message')
  })

  it('is detected by comparing all four parts [spec: decisions/24]', async () => {
    const { id } = await chat.says('ann', 'to reply to')
    const parts = { content: 'a', embeds: [{ title: 't' }], components: [row], reply_to: id }
    expect((await chat.send(parts)).status).toBe(200)
    expectNever(await chat.send(parts), 'same message')
    for (const other of [{ content: 'b' }, { embeds: [{ title: 'u' }] }, { components: [] }, { reply_to: undefined }]) {
      expect((await chat.send({ ...parts, ...other })).status).toBe(200)
    }
    expect((await chat.send(parts)).status).toBe(200)
  })

  it('is allowed in other channels, from other bots, after another message, and from people [spec: decisions/24]', async () => {
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

  it.each(fields)(
    '%s must be on an allowed host, over https [spec: decisions/26, 7/400]',
    inAll,
    async (field, embed) => {
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
    },
  )

  it("may be the service's own uploads, over http [spec: decisions/46]", async () => {
    const url = `${chat.service.url}/uploads/a.png`
    expect((await chat.send({ embeds: [{ image: { url } }] })).body.embeds).toEqual([{ image: { url } }])
  })

  it('are also checked in edits [spec: decisions/26]', async () => {
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

  it('refuse the first two violations, and ban the bot and its owner at the third within an hour [spec: decisions/31, 7/401, 7/403]', async () => {
    expectRefused(await chat.send(bad[0]!), 400, 'content: contains a blocked word')
    expectRefused(await chat.send(bad[1]!), 400, 'content: contains a blocked link')
    expect((await chat.send({ content: 'fine' })).status).toBe(200)
    expectRefused(await chat.send(bad[2]!), 400, 'embeds: contains a blocked word')
    expectRefused(await chat.bot('GET', '/me'), 401, 'banned')
    expectRefused(await chat.person('ann', 'GET', '/me'), 403, 'banned')
    expect((await chat.person('bob', 'GET', '/me')).status).toBe(200)
    expect((await chat.stranger('GET', '/me')).status).toBe(200)
    expect((await chat.person('bob', 'GET', chat.messages())).body.messages).toMatchObject([{ content: 'fine' }])
  })

  it('ignore violations older than an hour [spec: decisions/31]', async () => {
    await chat.send(bad[0]!)
    await chat.clock.advance(1000)
    await chat.send(bad[0]!)
    await chat.clock.advance(60 * 60_000 - 1000)
    expectRefused(await chat.send(bad[0]!), 400, 'content')
    expect((await chat.bot('GET', '/me')).status).toBe(200)
    expectRefused(await chat.send(bad[0]!), 400, 'content')
    expectRefused(await chat.bot('GET', '/me'), 401, 'banned')
  })

  it('apply to edits, answers and people [spec: decisions/31]', async () => {
    const { id } = (await chat.send({ content: 'fine' })).body
    expectRefused(await chat.bot('PATCH', `${chat.messages()}/${id}`, bad[0]), 400, 'content')
    const { answer } = await chat.clicked()
    expectRefused(await answer({ type: 'ephemeral', ...bad[0] }), 400, 'content')
    for (let i = 0; i < 3; i++) expectRefused(await chat.person('bob', 'POST', chat.messages(), bad[0]), 400, 'content')
    expectRefused(await chat.person('bob', 'GET', '/me'), 403, 'banned')
    expect((await chat.bot('GET', '/me')).status).toBe(200)
  })

  it('apply to a text as it is shown: markup and character references hide nothing [spec: decisions/31]', async () => {
    expectRefused(await chat.send({ content: 'a sl**ur**-for&#45;tests' }), 400, 'content: contains a blocked word')
    expectRefused(await chat.send({ content: '[x](https&#58;//www.adult.example/x)' }), 400, 'contains a blocked link')
  })

  it('match whole words and hosts, which a world can replace [spec: decisions/31]', async () => {
    expect((await chat.send({ content: 'slur-for-testsx and adult.example.org' })).status).toBe(200)
    const world = { ...specWorld(), content_rules: { words: ['fudge'], hosts: [] } }
    await using other = await startSpec({ world })
    expectRefused(await other.send({ content: 'oh FUDGE!' }), 400, 'blocked word')
    expect((await other.send({ content: 'slur-for-tests https://adult.example' })).status).toBe(200)
    const odd = { ...specWorld(), content_rules: { words: ['', '\u200b', 'fudge'], hosts: ['', 'Bücher.example'] } }
    await using third = await startSpec({ world: odd })
    expect((await third.send({ content: 'nothing is blocked here: https://xn--bcher.example' })).status).toBe(200)
    expectRefused(await third.send({ content: 'see https://www.bücher.example/x' }), 400, 'blocked link')
    expectRefused(await third.send({ content: 'oh fudge' }), 400, 'blocked word')
  })
})

describe('adding bots', () => {
  const addHelper = (name: string, botId: string) => chat.person(name, 'PUT', `${chat.annexServer}/bots/${botId}`)

  it('requires ownership or manage_server, and for unapproved bots their owner [spec: decisions/37]', async () => {
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
  it('slide: the limit applies to any 60 seconds, not to calendar minutes [spec: decisions/40]', inAll, async () => {
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
  it('come only from the switches, which require controls [spec: decisions/32]', async () => {
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

describe('limits that the specification does not define', () => {
  const long = (characters: number) => '\u{1f642}'.repeat(characters)
  const expectTaken = ({ status, body }: Answer) => expect(status, JSON.stringify(body)).toBe(200)

  it('allow URLs of up to 2048 characters', async () => {
    const url = (length: number) => 'https://i.imgur.com/'.padEnd(length, 'a')
    const button = (address: string) => ({ type: 'button', style: 'link', label: 'x', url: address })
    const parts = (address: string): [string, object][] => [
      ['embeds[0].url', { embeds: [{ url: address }] }],
      ['embeds[0].image.url', { embeds: [{ image: { url: address } }] }],
      ['embeds[0].author.icon_url', { embeds: [{ author: { name: 'x', icon_url: address } }] }],
      [
        'components[0].components[0].url',
        { content: 'x', components: [{ type: 'row', components: [button(address)] }] },
      ],
    ]
    for (const [, body] of parts(url(2048))) expectTaken(await chat.send(body))
    for (const [field, body] of parts(url(2049)))
      expectRefused(await chat.send(body), 400, `${field}: must be at most 2048 characters`)
    const bot = chat.service.world.bots['pollster']!
    const webhook = await chat.person('ann', 'PUT', `/bots/${bot.id}/event-webhook`, { url: url(2049) })
    expectRefused(webhook, 400, 'url: must be at most 2048 characters')
  })

  it('allow names of up to 100 characters, and nicknames of up to 32', async () => {
    const server = `/servers/${chat.workshop.id}`
    const made = [
      ['POST', `${server}/channels`],
      ['POST', `${server}/categories`],
      ['PATCH', chat.channel('random')],
    ] as const
    for (const [method, path] of made) {
      expectTaken(await chat.helper(method, path, { name: long(100) }))
      expectRefused(await chat.helper(method, path, { name: long(101) }), 400, 'name: must be at most 100 characters')
      expectRefused(await chat.helper(method, path, { name: ' ' }), 400, 'name: must not be empty')
    }
    for (const path of ['/servers', `${server}/roles`]) {
      expectTaken(await chat.person('ann', 'POST', path, { name: long(100) }))
      expectRefused(await chat.person('ann', 'POST', path, { name: long(101) }), 400, 'name: must be at most 100')
    }
    const carol = `${server}/members/${chat.service.world.people['carol']!.id}`
    expectTaken(await chat.helper('PATCH', carol, { nickname: long(32) }))
    expectRefused(await chat.helper('PATCH', carol, { nickname: long(33) }), 400, 'nickname: must be at most 32')
  })

  it('allow command descriptions of up to 1000 characters', async () => {
    const put = (description: string) => chat.bot('PUT', '/commands', { commands: [{ name: 'x', description }] })
    expectTaken(await put(long(1000)))
    expectRefused(await put(long(1001)), 400, 'commands[0].description: must be at most 1000 characters')
  })

  it('allow reasons of up to 500 characters, and submissions of up to 2000', async () => {
    const server = `/servers/${chat.workshop.id}`
    const user_id = chat.service.world.people['carol']!.id
    for (const [path, body] of [
      [`${server}/timeouts`, { user_id, minutes: 1 }],
      [`${server}/bans`, { user_id }],
    ] as const) {
      const refused = await chat.helper('POST', path, { ...body, reason: long(501) })
      expectRefused(refused, 400, 'reason: must be at most 500 characters')
      expectTaken(await chat.helper('POST', path, { ...body, reason: long(500) }))
    }
    const submit = (description: string) =>
      chat.person('ann', 'POST', `/bots/${chat.service.world.bots['pollster']!.id}/submission`, { description })
    expectRefused(await submit(long(2001)), 400, 'description: must be at most 2000 characters')
    expectTaken(await submit(long(2000)))
  })
})

describe('texts that are slow to check', () => {
  const cjk = Array.from({ length: 6000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
  const links = Array.from({ length: 5 }, (_, n) => ({
    url: `https://${cjk.slice(n, n + 2000)}`,
    image: { url: `https://i.imgur.com\t${cjk.slice(n, n + 2000)}/` },
  }))
  /** Processor time, which does not depend on how busy the machine is. */
  const leastMs = async (body: object) => {
    let least = Infinity
    for (let i = 0; i < 5; i++) {
      const start = process.cpuUsage()
      await chat.send(body)
      const { user, system } = process.cpuUsage(start)
      least = Math.min(least, (user + system) / 1000)
    }
    return least
  }

  it.each([
    ['a link that ends in signs', { embeds: [{ url: `https://${'!'.repeat(2000)}` }] }],
    ['signs between a link and a word', { content: `https://${'!'.repeat(1990)}a` }],
    ['many links', { content: 'http://@'.repeat(250) }],
    ['a host of other letters', { embeds: [{ description: `http://${cjk.slice(0, 4000)}` }] }],
    ['many hosts of other letters', { embeds: links }],
    ['marks that pile up', { embeds: [{ description: `a${'\u0300\u0316'.repeat(2000)}` }] }],
    ['letters that normalise to more', { content: '\ufdfa'.repeat(2000) }],
  ])('are checked in linear time: %s', inAll, async (_, body) => {
    const ordinaryMs = await leastMs({ content: 'word '.repeat(400) })
    expect(await leastMs(body)).toBeLessThan(Math.max(50, 20 * ordinaryMs))
  })

  it.each([`http://adult${'\ufe0f'.repeat(1500)}.example/x`, 'http://x!!!@adult.example', 'http://adult.example,,,'])(
    'are checked: %s',
    async (content) => {
      expectRefused(await chat.send({ content }), 400, 'content: contains a blocked link')
    },
  )

  it.each([
    { content: '[x](https:/adult.example)' },
    { content: '[x](<https:adult.example/a>)' },
    { embeds: [{ title: 'x', url: 'HTTPS:www.adult.example' }] },
    { embeds: [{ title: 'x', url: ' https://ad\tult.example' }] },
    {
      content: 'x',
      components: [
        { type: 'row', components: [{ type: 'button', style: 'link', label: 'x', url: 'https:/ad\nult.example/' }] },
      ],
    },
  ])('are checked as a browser reads links: %j', async (body) => {
    expectRefused(await chat.send(body), 400, 'contains a blocked link')
  })
})
