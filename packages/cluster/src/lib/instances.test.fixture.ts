import {
  type BotEvent,
  type Click,
  type ClusterHost,
  type Delivery,
  type Duties,
  type Log,
  type ClusterMember,
  type Report,
  systemClock,
  type Term,
} from '@botwright/framework/cluster'
import { redisCluster } from './redis-cluster.ts'
import type { RedisRig } from './redis-rig.test.fixture.ts'

/** An instance of the tests, and all that it was asked to do. */
export interface TestInstance {
  instance: ClusterMember
  runs: Delivery[]
  asked: number[]
  acks: Click[]
  gone: string[]
  woken: string[]
  /** The events that it has set aside, with the reason. */
  aside: [id: number, reason: string][]
  terms: Term[]
  lost: number
  log: string[]
  reports: Parameters<Report>[0][]
  /** Its leadership, if it leads. */
  readonly term: Term | undefined
}

export interface Behaviour {
  run?: (delivery: Delivery, instance: TestInstance) => void | Promise<void>
  lead?: (term: Term) => Promise<void>
  ack?: (click: Click) => Promise<void>
  host?: Partial<ClusterHost>
}

export function botsOf(rig: RedisRig, botId = 'bot') {
  const all: TestInstance[] = []
  const cluster = redisCluster(rig.url)
  const bot = { baseUrl: 'http://chat.test', botId }
  return {
    all,
    cluster,
    bot,
    async start(behaviour: Behaviour = {}): Promise<TestInstance> {
      const lines: string[] = []
      const reports: Parameters<Report>[0][] = []
      const say = (_: object, message: string) => void lines.push(message)
      const log: Log = { debug() {}, info: say, warn: say, error: say }
      const host: ClusterHost = {
        ...bot,
        version: '1',
        clock: systemClock,
        log,
        report: (entry) => void reports.push(entry),
        timeoutMs: 15_000,
        handlerAttempts: 3,
        ...behaviour.host,
      }
      const instance = await cluster.join(host)
      const one: TestInstance = {
        instance,
        runs: [],
        asked: [],
        acks: [],
        gone: [],
        woken: [],
        aside: [],
        terms: [],
        lost: 0,
        log: lines,
        reports,
        get term() {
          return this.terms.find(({ signal }) => !signal.aborted)
        },
      }
      const duties: Duties = {
        run(delivery) {
          one.runs.push(delivery)
          if (delivery.asked) one.asked.push(delivery.event.id)
          return behaviour.run?.(delivery, one)
        },
        async lead(term) {
          one.terms.push(term)
          await behaviour.lead?.(term)
        },
        async ack(click) {
          await behaviour.ack?.(click)
          one.acks.push(click)
        },
        async lost() {
          one.lost++
        },
        joined() {},
        async gone(ids) {
          one.gone.push(...ids)
        },
        woken: (topic) => void one.woken.push(topic),
        setAside: ({ event }, reason) => void one.aside.push([event.id, reason]),
      }
      instance.start(duties)
      all.push(one)
      return one
    },
    /** The one that leads, once there is one. */
    async leader(): Promise<TestInstance & { term: Term }> {
      return until(() => all.find(({ term }) => term) as (TestInstance & { term: Term }) | undefined)
    },
    /** Publishes as a feed does: what a term did not keep, the next one publishes again. */
    async publish(...events: BotEvent[]): Promise<void> {
      for (let left = events; left.length > 0;) {
        const { term } = await this.leader()
        let onOver = () => {}
        const over = new Promise<void>((resolve) => (onOver = resolve))
        term.signal.addEventListener('abort', onOver)
        const kept = new Set<BotEvent>()
        const all = left.map((event) => term.publish(delivered(event)).then(() => kept.add(event)))
        await Promise.race([Promise.all(all), over])
        term.signal.removeEventListener('abort', onOver)
        left = left.filter((event) => !kept.has(event))
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { instance } of all) {
        await instance.stop({ graceMs: 0 })
        await instance.close()
      }
    },
  }
}

const LIMIT_MS = 60_000

/** Waits for something to be so. */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + LIMIT_MS
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`not true after ${LIMIT_MS / 1000} s: ${String(look)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export const message = (id: number, channel = 'general', author = 'ann'): BotEvent => ({
  id,
  type: 'message',
  data: { channel_id: channel, author_id: author, content: `message ${id}` },
  created_at: '2026-01-01T00:00:00.000Z',
})

export const click = (id: number, on = 'post'): BotEvent => ({
  id,
  type: 'interaction',
  data: { id: `click-${id}`, message_id: on, channel_id: 'general', token: 'secret', custom_id: 'x' },
  created_at: '2026-01-01T00:00:00.000Z',
})

export const delivered = (event: BotEvent): Delivery => ({ event, attempt: 1 })
