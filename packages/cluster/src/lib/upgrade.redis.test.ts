// A bot on two instances with two versions of its code, as in a rolling upgrade, and the faults that can occur during one.

import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotRig, framework, type InstanceProcess } from './bot-rig.test.fixture.ts'
import { describeWithRedis } from './redis-rig.test.fixture.ts'

const config = `export default { messageBudget: false, delivery: 'both', webhook: { port: 0 } }`

/** A button with a slow handler, whose answer names the instance. */
const slow = (rig: BotRig) => `${rig.note}import { button } from '${framework}'
  export default button({ run: async (ctx) => {
    note((ctx.redelivered ? 'again ' : 'begun ') + process.pid)
    await new Promise((end) => setTimeout(end, 1200))
    await ctx.send(ctx.channel_id, 'sent by ' + process.pid)
    await ctx.reply('answered by ' + process.pid)
    note('ended ' + process.pid)
  } })`
const posts = (file: string, params: string) => `import it from '../buttons/${file}.mjs'
  import { row } from '${framework}'
  export default () => ({ content: '${file}', components: [row(it.button(${params}{ label: 'Yes' }))] })`
const vote = (params: string, rest: string) => `import { boolean, button, oneOf } from '${framework}'
  export default button({ params: ${params} })${rest}`

describeWithRedis('two versions of a bot at once', () => {
  let rig: BotRig
  let one: InstanceProcess
  let two: InstanceProcess
  let secret: string
  const received: { body: string; headers: Record<string, string> }[] = []
  /** Forwards each delivery to one instance or to all, like a load balancer that treats a slow response as a failure. */
  const balancer = { ports: [] as number[], turn: 0, all: false, answers: [] as number[] }
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => name.startsWith('x-') || name === 'content-type'),
      ) as Record<string, string>
      received.push({ body, headers })
      // No instance is running yet: the service does not retry, and a poll returns the event.
      if (balancer.ports.length === 0) return response.writeHead(502).end()
      const ports = balancer.all ? balancer.ports : [balancer.ports[balancer.turn++ % balancer.ports.length]!]
      const answers = await Promise.all(ports.map((port) => post(port, body, headers).catch(() => 502)))
      balancer.answers.push(...answers)
      response.writeHead(answers[0]!).end()
    })()
  })
  const post = async (port: number, body: string, headers: Record<string, string>): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })
    await answer.text()
    return answer.status
  }
  const portOf = (instance: InstanceProcess) =>
    Number(/receiving event webhooks on http:\/\/127\.0\.0\.1:(\d+)/.exec(instance.output())![1])

  beforeAll(async () => {
    rig = await BotRig.start()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { id } = rig.service.world.bots['helper']!
    secret = (await rig.person().bots.setEventWebhook({ bot_id: id, url })).secret!
    const both = {
      'commands/work.ts': posts('slow', ''),
      'buttons/slow.ts': slow(rig),
      'commands/ping.ts': `${rig.note}export default (ctx) => note('ping ' + ctx.typed)`,
      'commands/rest.ts': `${rig.note}export default async () => {
        note('rest begun')
        await new Promise((end) => setTimeout(end, 800))
        note('rest ended')
      }`,
    }
    rig.build(
      'one',
      {
        ...both,
        'commands/vote.ts': posts('vote', '{ yes: true }, '),
        'buttons/vote.ts': vote(`{ yes: boolean() }, run: (ctx) => 'one heard ' + ctx.params.yes`, ''),
      },
      config,
    )
    rig.build(
      'two',
      {
        ...both,
        'commands/vote.ts': posts('vote', `{ choice: 'maybe' }, `),
        'commands/news.ts': `export default () => 'news'`,
        'commands/work.ts': posts('slow', ''),
        'buttons/slow.ts': slow(rig),
        'buttons/vote.ts': vote(
          `{ choice: oneOf('yes', 'no', 'maybe') }, run: (ctx) => 'two heard ' + ctx.params.choice`,
          `.formerly({ yes: boolean() }, ({ yes }) => ({ choice: yes ? 'yes' : 'no' }))`,
        ),
      },
      config,
    )
    one = await rig.instance('one', { BOT_WEBHOOK_SECRET: secret })
  })
  afterAll(async () => {
    server.close()
    await rig[Symbol.asyncDispose]()
  })
  const callbacks = () => rig.calls('POST', /\/callback$/)

  test(
    'the newer version registers its commands once, and clicks on buttons of the older version run on both',
    { tags: ['all/redis'] },
    async () => {
      // Each message has its partition, and each instance owns half of the partitions.
      for (let n = 0; n < 12; n++) await rig.says('/vote')
      const old = await rig.buttons(12)
      two = await rig.instance('two', { BOT_WEBHOOK_SECRET: secret })
      balancer.ports = [portOf(one), portOf(two)]
      const heard = async () => (await rig.texts()).filter((text) => / heard /.test(text))
      const clicks: (() => Promise<string>)[] = []
      while (clicks.length < 4 || (clicks.length < 12 && new Set(await heard()).size < 2)) {
        clicks.push(await rig.clicks(old[clicks.length]!))
        await rig.until(async () => (await heard()).length === clicks.length)
      }
      expect(new Set(await heard())).toEqual(new Set(['one heard true', 'two heard yes']))
      for (const state of clicks) expect(await state()).toBe('answered')
    },
  )

  test(
    'an instance that was frozen during a click sends nothing for it when it resumes',
    { tags: 'all/redis' },
    async () => {
      await rig.says('/work', 'random')
      const [work] = await rig.buttons(1, 'random')
      const before = (await callbacks()).length
      const state = await rig.clicks(work!, 'random')
      const ran = (how: string) => rig.notes().flatMap((line) => (line.startsWith(how) ? [line.split(' ')[1]] : []))
      await rig.until(() => ran('begun').length === 1)
      const frozen = rig.instances.find(({ child }) => String(child.pid) === ran('begun')[0])!
      const other = frozen === one ? two : one
      frozen.child.kill('SIGSTOP')
      await rig.until(() => ran('ended').length === 1)
      expect(ran('again')).toEqual([String(other.child.pid)])
      frozen.child.kill('SIGCONT')
      await rig.until(() => frozen.output().includes('has rejoined'))
      // Both instances work: late requests of the frozen one would have arrived before this.
      for (let n = 0; n < 12; n++) await rig.says('/ping', `c${n}`)
      await rig.until(() => rig.notes().filter((line) => line.startsWith('ping')).length === 12)
      expect(ran('ended')).toEqual([String(other.child.pid)])
      expect((await rig.texts('random')).slice(2)).toEqual([
        `sent by ${other.child.pid}`,
        `answered by ${other.child.pid}`,
      ])
      expect(await state()).toBe('answered')
      // One acknowledgement after 2 s, and the answer.
      expect((await callbacks()).slice(before).map(({ body }) => (body as { type: string }).type)).toEqual([
        'ack',
        'reply',
      ])
      expect(frozen.output()).toContain('1 running handler was stopped; another instance runs its event again')
      expect(frozen.output()).not.toMatch(/"level":"error".*slow\.ts/)
      // While the instance with the newer code was frozen, the commands of the older one may have been registered.
      const registered = async () =>
        (await rig.calls('PUT', /\/commands$/)).map(({ body }) =>
          (body as { commands: { name: string }[] }).commands.map(({ name }) => name),
        )
      const first = ['help', 'ping', 'rest', 'vote', 'work']
      expect((await registered()).slice(0, 2)).toEqual([first, [...first, 'news'].toSorted()])
      await rig.until(async () => (await registered()).at(-1)!.includes('news'))
    },
  )

  test(
    'if both instances receive a delivery, each event runs once, and both check the signature',
    { tags: 'all/redis' },
    async () => {
      balancer.all = true
      balancer.answers.length = 0
      received.length = 0
      // While no poll is answered, only the webhook copies deliver the events.
      await rig.fails('GET', '/v1/events', 1_000_000)
      await rig.says('/ping 0', 'c0')
      for (let n = 1; n <= 6; n++) await rig.says(`/ping ${n}`, `c${n}`)
      const pings = () => rig.notes().filter((line) => /^ping \d/.test(line))
      await rig.until(() => new Set(pings()).size === 7 && received.length >= 7)
      await rig.fails('GET', '/v1/events', 0)
      expect(balancer.answers.every((status) => status === 200)).toBe(true)
      const { body, headers } = received.at(-1)!
      const signed = (text: string, key = secret) => ({
        ...headers,
        'x-service-signature': `sha256=${createHmac('sha256', key).update(text).digest('hex')}`,
      })
      const forged = body.replace('/ping', '/pong')
      for (const port of balancer.ports) {
        // It is delivered once more, after it has run.
        expect(await post(port, body, headers)).toBe(200)
        expect(await post(port, forged, headers)).toBe(401)
        expect(await post(port, forged, signed(forged, 'another secret'))).toBe(401)
        expect(await post(port, body, { ...signed(body), 'x-service-bot': 'another bot' })).toBe(400)
      }
      // The events of the poll have run, too; the next event comes after them.
      await rig.says('/ping 7', 'c6')
      await rig.until(() => pings().includes('ping 7'))
      expect(pings().toSorted()).toEqual(Array.from({ length: 8 }, (_, n) => `ping ${n}`))
      balancer.all = false
    },
  )

  test(
    'a replaced token stops each instance of a cluster, after its running handlers have finished',
    { tags: 'all/redis' },
    async () => {
      const { id } = rig.service.world.bots['helper']!
      await rig.says('/rest', 'c7')
      await rig.until(() => rig.notes().includes('rest begun'))
      await rig.person().bots.newToken({ bot_id: id })
      await rig.says('/ping', 'c8')
      expect(await Promise.all([one.ended, two.ended])).toEqual([77, 77])
      for (const { output } of [one, two]) {
        expect(output()).toContain('stopped: the token is no longer valid')
        expect(output()).not.toContain('Redis is unavailable')
      }
      expect(rig.notes()).toContain('rest ended')
    },
  )
})
