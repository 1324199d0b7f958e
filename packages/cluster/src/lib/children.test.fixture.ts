import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BotEvent } from '@botwright/framework/cluster'
import type { Order, Told } from './instance-child.fixture.ts'
import { until } from './instances.test.fixture.ts'
import type { RedisRig } from './redis-rig.test.fixture.ts'
import { spawnChild } from './child-process.test.fixture.ts'

const program = fileURLToPath(new URL('../../dist/lib/instance-child.fixture.js', import.meta.url))

/** An instance in its own process, and its reports. */
export interface Child {
  process: ChildProcess
  told: Told[]
  say(order: Order): void
  kill(signal: NodeJS.Signals): void
}

/** One process after the other: many that start at once hold up each other, and the leases of those that run. */
let starting: Promise<unknown> = Promise.resolve()

/** Instances of one bot, each in its process. */
export function childrenOf(redis: RedisRig, botId: string) {
  const all: Child[] = []
  const of = (kind: Told['kind'], id?: number) =>
    all.flatMap((child) =>
      child.told.flatMap((told) =>
        told.kind === kind && (id === undefined || ('id' in told && told.id === id)) ? [{ ...told, child }] : [],
      ),
    )
  return {
    all,
    of,
    start(options: { runMs?: number; handlerAttempts?: number } = {}): Promise<Child> {
      const started = starting.then(() => this.begin(options))
      starting = started.catch(() => {})
      return started
    },
    async begin({ runMs = 0, handlerAttempts = 3 }: { runMs?: number; handlerAttempts?: number }): Promise<Child> {
      const child = spawnChild(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      const one: Child = {
        process: child,
        told: [],
        say: (order) => void child.send(order),
        kill: (signal) => void child.kill(signal),
      }
      child.on('message', (told: Told) => one.told.push(told))
      all.push(one)
      one.say({ start: { url: redis.url, botId, runMs, handlerAttempts } })
      await until(() => one.told.some(({ kind }) => kind === 'joined'))
      return one
    },
    /** The present leader; `not`: wait for another one than this. */
    leader: (not?: Child) =>
      until(() => {
        const leads = of('leads').flatMap((told) => ('term' in told ? [told] : []))
        const last = leads.sort((a, b) => a.term - b.term).at(-1)
        return last && last.child !== not ? last.child : undefined
      }),
    /** Publishes as a feed does: what a term did not keep, the next one publishes again. */
    async publish(...events: BotEvent[]): Promise<void> {
      let last: Child | undefined
      await until(async () => {
        const leader = await this.leader()
        if (leader !== last) leader.say({ publish: events })
        last = leader
        return events.every(({ id }) => of('published', id).length > 0)
      })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        all.map(async ({ process }) => {
          if (process.exitCode !== null || process.signalCode !== null) return
          const gone = new Promise((resolve) => process.once('exit', resolve))
          process.kill('SIGCONT')
          process.kill('SIGKILL')
          await gone
        }),
      )
    },
  }
}
