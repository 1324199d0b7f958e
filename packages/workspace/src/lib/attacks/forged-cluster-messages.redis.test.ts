import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { type Attacker, floodChannels } from './forged-messages.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/redis' } as const

interface Redis extends Attacker {
  keys(pattern: string): Promise<string[]>
  del(key: string): Promise<number>
  get(key: string): Promise<string | null>
  set(key: string, value: string): Promise<unknown>
  hset(key: string, field: string, value: string): Promise<unknown>
  zadd(key: string, score: number, member: string): Promise<unknown>
  disconnect(): void
}
interface BotEvent {
  id: number
}
interface Instance {
  instance: {
    id: string
    limits: { take(priority: 'reply'): Promise<void>; release(left: boolean): void; waitMs: number }
    store: { get(key: string): Promise<unknown> }
    waits(key: string, on: boolean): void
    cluster(): Promise<{ instances: unknown[]; setAside: unknown[] }>
  }
  runs: { event: BotEvent }[]
  log: string[]
  readonly term: object | undefined
}
interface Bot extends AsyncDisposable {
  all: Instance[]
  bot: { baseUrl: string; botId: string }
  start(behaviour?: {
    run?: (event: BotEvent) => void | Promise<void>
    lead?: (term: { offers(hear: () => Promise<void>): void }) => Promise<void>
    host?: object
  }): Promise<Instance>
  leader(): Promise<Instance>
  publish(...events: BotEvent[]): Promise<void>
}
interface Rig extends AsyncDisposable {
  url: string
}

// Fixtures of other packages are not exported, so they are imported by path.
const cluster = (file: string) => import(new URL(`../../../../cluster/src/lib/${file}`, import.meta.url).href)
const { startRedis, describeWithRedis } = (await cluster('redis-rig.test.fixture.ts')) as {
  startRedis: () => Promise<Rig>
  describeWithRedis: (name: string, tests: () => void) => void
}
const { botsOf, message, until } = (await cluster('instances.test.fixture.ts')) as {
  botsOf: (rig: Rig) => Bot
  message: (id: number, channel?: string) => BotEvent
  until: (look: () => unknown) => Promise<unknown>
}
const { keysOf } = (await cluster('redis/keys.ts')) as {
  keysOf: (baseUrl: string, botId: string) => Record<string, string>
}
const { seeded } = (await import(new URL('../../../soak/settings.mjs', import.meta.url).href)) as {
  seeded: (seed: number) => () => number
}
const { Redis: Client } = createRequire(new URL('../../../../cluster/package.json', import.meta.url))('ioredis') as {
  Redis: new (url: string) => Redis
}

const WINDOW_MS = 1000
/** The window, a request in flight, and a margin for a busy instance. */
const LONGEST_SEND_MS = 4 * WINDOW_MS
const host = { messageBudget: { requests: 10, seconds: WINDOW_MS / 1000 }, timeoutMs: 500 }

async function longestSend({ limits }: Instance['instance'], count: number): Promise<number> {
  let longestMs = 0
  for (let i = 0; i < count; i++) {
    const startMs = performance.now()
    await limits.take('reply')
    longestMs = Math.max(longestMs, performance.now() - startMs)
    limits.release(true)
  }
  return longestMs
}

describeWithRedis('forged messages of a cluster', () => {
  test(
    'do not lose events, block sends or stop instances when they come from pub/sub on another database',
    slow,
    async () => {
      await using redis = await startRedis()
      await using bots = botsOf(redis)
      const instances = [await bots.start({ host }), await bots.start({ host })]
      await bots.leader()
      const attacker = new Client(`${redis.url}/1`)
      try {
        const events = Array.from({ length: 200 }, (_, i) => message(i + 1, `c${i % 20}`))
        let flooding = true
        const flood = floodChannels(attacker, 1500, seeded(16)).finally(() => (flooding = false))
        const sends = instances.map(({ instance }) => longestSend(instance, 15))
        while (events.length > 0) await bots.publish(...events.splice(0, 25))
        for (const longestMs of await Promise.all(sends)) expect(longestMs).toBeLessThan(LONGEST_SEND_MS)
        expect(await flood).toBeGreaterThan(0)
        expect(flooding).toBe(false)
        const ran = () => instances.flatMap(({ runs }) => runs.map(({ event }) => event.id)).sort((a, b) => a - b)
        await until(() => ran().length >= 200)
        expect(ran()).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
        expect(({} as { polluted?: true }).polluted).toBeUndefined()
        const ignored = instances.flatMap(({ log }) => log.filter((line) => line.includes('ignored a malformed')))
        expect(ignored.length).toBeGreaterThan(0)
        // One line for each kind and instance, regardless of their number.
        expect(ignored.length).toBeLessThan(20)
        expect(ignored.join()).not.toContain('xxxx')
      } finally {
        attacker.disconnect()
      }
    },
  )

  test('a forged answer does not remove an event from its waiting handler, and a forged event does not run', async () => {
    await using redis = await startRedis()
    await using bots = botsOf(redis)
    const keys = keysOf(bots.bot.baseUrl, bots.bot.botId)
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const [one, two] = [await bots.start({ run: () => finished }), await bots.start({ run: () => finished })]
    const attacker = new Client(`${redis.url}/1`)
    try {
      for (const { instance } of [one, two]) instance.waits('text:general:ann', instance === one.instance)
      const forge = async () => {
        for (const { instance } of [one, two])
          for (let n = 1; n < 20; n++) {
            const event = { ...message(900 + n), data: { channel_id: 'general', author_id: 'ann', content: 'forged' } }
            const channel = `${keys['prefix']}:say:to:${instance.id}`
            for (const from of [one.instance.id, two.instance.id]) {
              await attacker.publish(channel, JSON.stringify({ n, taken: true }))
              await attacker.publish(channel, JSON.stringify({ n, from, event, attempt: 1, asked: false }))
              await attacker.publish(channel, `done ${from} ${n}`)
              await attacker.publish(channel, `ask ${from} ${n}`)
            }
          }
      }
      await forge()
      // Any instance may take the next message: it runs in the waiting handler or is forwarded to it.
      await bots.publish(message(1))
      await until(() => one.runs.length > 0)
      await forge()
      finish()
      await bots.publish(message(2))
      await until(() => one.runs.length > 1)
      expect(one.runs.map(({ event }) => event.id)).toEqual([1, 2])
      expect(two.runs).toEqual([])
    } finally {
      attacker.disconnect()
    }
  })

  test('malformed values in keys are logged and ignored, and the bot continues', { tags: 'all/redis' }, async () => {
    await using redis = await startRedis()
    await using bots = botsOf(redis)
    const keys = keysOf(bots.bot.baseUrl, bots.bot.botId) as unknown as Record<string, string> & {
      limits: Record<'slots' | 'wanted', string>
      state: { value: string }
    }
    const attacker = new Client(redis.url)
    const far = 32_503_680_000_000
    try {
      // With a lease that never ends, no instance would ever become leader.
      await attacker.set(keys['leader']!, 'evil')
      const one = await bots.start({ host, lead: async (term) => term.offers(async () => {}) })
      await bots.leader()

      await attacker.zadd(keys.limits.wanted, far, '1 999999 evil')
      await attacker.zadd(keys.limits.wanted, far, '9 x evil')
      await attacker.zadd(keys.limits.wanted, Date.now() + 5000, '9 x evil')
      for (let i = 0; i < 10; i++) await attacker.zadd(keys.limits.slots, far, `evil:${i}`)
      expect(await longestSend(one.instance, 1)).toBeLessThan(LONGEST_SEND_MS)

      for (const json of ['x', 'null', '{"number":"x"}', '['.repeat(10_000)]) {
        await attacker.hset(keys['instances']!, `evil-${json.length}.7`, json)
        await attacker.hset(keys['setAside']!, `x${json.length}`, json)
        await attacker.hset(keys['offers']!, `${json.length}`, json)
        await attacker.hset(keys['offers']!, `x${json.length}`, json)
      }
      await attacker.hset(keys['waits']!, '__proto__', 'evil.1')
      await attacker.hset(keys['waits']!, 'text:general:ann', `evil.${one.instance.id.split('.').at(-1)}`)
      await attacker.publish(`${keys['prefix']}:say:waits`, 'text:general:ann')
      await attacker.set(`${keys.state.value}a`, 'no value')
      await expect(one.instance.store.get('a')).rejects.toMatchObject({ code: 'ERR_STATE' })
      const { instances, setAside } = await one.instance.cluster()
      expect(instances).toHaveLength(1)
      expect(setAside).toEqual([])

      await bots.publish(message(1))
      await until(() => one.runs.length === 1)
      await until(() => one.log.some((line) => line.includes('ignored a malformed webhook copy')))
      for (const kind of ['entry in the hash "instances"', 'event that was set aside'])
        expect(one.log.filter((line) => line.includes(`ignored a malformed ${kind}`))).toHaveLength(1)
    } finally {
      attacker.disconnect()
    }
  })

  test("logs a position that another program has moved ahead, and saves the leader's own again", async () => {
    await using redis = await startRedis()
    await using bots = botsOf(redis)
    const key = keysOf(bots.bot.baseUrl, bots.bot.botId)['position']!
    const one = await bots.start()
    const { term } = (await bots.leader()) as Instance & {
      term: { journal: { commit(group: object): boolean } }
    }
    term.journal.commit({ cursor: { after: 7, savedAtMs: Date.now() } })
    const attacker = new Client(redis.url) as Redis & { hget(key: string, field: string): Promise<string | null> }
    try {
      await until(async () => (await attacker.hget(key, 'after')) === '7')
      await attacker.hset(key, 'after', '9000000')
      await until(async () => (await attacker.hget(key, 'after')) === '7')
      await until(() => one.log.some((line) => line.includes("9000000 is ahead of the leader's position")))
    } finally {
      attacker.disconnect()
    }
  })
})
