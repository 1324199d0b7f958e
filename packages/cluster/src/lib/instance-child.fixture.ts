// An instance in its own process, which reports to its parent and takes orders from it: it can be killed and frozen.

import { type BotEvent, type Log, systemClock, type Term } from '@botwright/framework/cluster'
import { redisCluster } from '../index.ts'

/** Orders of the parent. */
export type Order =
  | { start: { url: string; botId: string; runMs: number; handlerAttempts: number } }
  | { publish: BotEvent[] }
  | { save: number }
  | { fence: true }
  | { stop: number }

/** Reports of the child. */
export type Told =
  | { kind: 'joined' | 'lost' | 'left' }
  | { kind: 'begun' | 'ended' | 'fenced' | 'published' | 'aside'; id: number; attempt: number }
  | { kind: 'leads' | 'over'; term: number }
  | { kind: 'gone'; ids: readonly string[] }
  | { kind: 'fence'; code: string }
  | { kind: 'log'; text: string }

const report = (told: Told) => void process.send!(told)
const say = (_: object, text: string) => report({ kind: 'log', text })
const log: Log = { debug() {}, info: say, warn: say, error: say }
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

let term: Term | undefined
/** Ends with each lease that was lost: what has begun in it goes no further, as a worker thread that was ended. */
let life = {}
let order = Promise.resolve()

async function start({ url, botId, runMs, handlerAttempts }: Extract<Order, { start: unknown }>['start']) {
  const instance = await redisCluster(url).join({
    baseUrl: 'http://chat.test',
    botId,
    version: '1',
    clock: systemClock,
    log,
    report: () => {},
    timeoutMs: 15_000,
    handlerAttempts,
  })
  instance.start({
    async run({ attempt, event }) {
      const { id } = event
      const mine = life
      report({ kind: 'begun', id, attempt })
      const { ms = runMs } = event.data as { ms?: number }
      await wait(ms)
      if (mine !== life) return new Promise<never>(() => {})
      try {
        // As before each request of a handler.
        await instance.fence()
        report({ kind: 'ended', id, attempt })
      } catch {
        report({ kind: 'fenced', id, attempt })
      }
    },
    async lead(led) {
      term = led
      led.signal.addEventListener('abort', () => report({ kind: 'over', term: led.number }))
      report({ kind: 'leads', term: led.number })
    },
    async ack() {},
    async lost() {
      life = {}
      report({ kind: 'lost' })
    },
    async gone(ids) {
      report({ kind: 'gone', ids })
    },
    joined() {},
    woken() {},
    setAside: ({ event: { id }, attempt }) => report({ kind: 'aside', id, attempt }),
  })
  report({ kind: 'joined' })
  process.on('message', (next: Order) => {
    if ('publish' in next)
      for (const event of next.publish)
        void term?.publish({ event, attempt: 1 }).then(() => report({ kind: 'published', id: event.id, attempt: 0 }))
    if ('save' in next) term?.journal.commit({ cursor: { after: next.save, savedAtMs: Date.now() } })
    if ('fence' in next)
      void Promise.resolve()
        .then(() => instance.fence())
        .then(
          () => report({ kind: 'fence', code: '' }),
          (error: { code: string }) => report({ kind: 'fence', code: error.code }),
        )
    if ('stop' in next)
      order = order.then(async () => {
        await instance.stop({ graceMs: next.stop })
        await instance.close()
        report({ kind: 'left' })
        process.disconnect()
      })
  })
}

process.once('message', (first: Order) => {
  if ('start' in first) void start(first.start)
})
