import { AsyncLocalStorage } from 'node:async_hooks'
import type { Timer } from '@botwright/clock'
import type { SeededRandom } from '@botwright/clock/simulated'
import type { FunctionBot, FunctionContext, FunctionEnv } from '@botwright/framework/functions'
import { SimHost, SimProcess } from '../sim-host.ts'
import type { SimWorld } from '../sim-world.ts'
import type { FunctionPlan } from './function-plan.ts'
import type { FunctionRecord, SimInvocation } from './function-record.ts'

/** The invocation that runs at the moment. */
const inside = new AsyncLocalStorage<{ invocation: SimInvocation; process: SimProcess } | undefined>()

export const presentInvocation = (): SimInvocation | undefined => inside.getStore()?.invocation
export const presentProcess = (): SimProcess | undefined => inside.getStore()?.process

/** The process of an instance, on a host of its own. Its timers belong to the invocation that has set them. */
class InstanceProcess extends SimProcess {
  override after(ms: number, fire: () => void): Timer {
    const store = inside.getStore()
    return super.after(ms, () => inside.run(store, fire))
  }
}

/** An instance of the module. */
interface Instance {
  process: SimProcess
  bot: FunctionBot
  env: FunctionEnv
  running: Set<SimInvocation>
}

type Call<T> = (bot: FunctionBot, env: FunctionEnv, ctx: FunctionContext) => Promise<T>

interface Options {
  world: SimWorld
  plan: FunctionPlan
  record: FunctionRecord
  random: SeededRandom
  create: (process: SimProcess) => Pick<Instance, 'bot' | 'env'>
}

/** How long an invocation may run: where it ends with its response, and after the response elsewhere (see the documentation of functions). */
const ONE_MS = 95_000
const AFTER_MS = 30_000
const SCHEDULED_MS = 900_000
/** Requests that an instance gets at the same time. */
const MOST = 4
const COLD_START = 0.15
const IDLE_END = 0.1

/** A platform that starts and ends instances of a function as it likes. */
export class Platform {
  readonly instances: Instance[] = []
  readonly #o: Options
  #instances = 0

  constructor(options: Options) {
    this.#o = options
  }

  /** The instances that run an invocation. */
  get busy(): Instance[] {
    return this.instances.filter(({ running }) => running.size > 0)
  }

  /** Calls a function in an instance. Rejects if the instance ends first. */
  invoke<T>(kind: SimInvocation['kind'], call: Call<T>): Promise<T> {
    const { record, world, plan } = this.#o
    const instance = this.#pick()
    const { process, bot, env, running } = instance
    const number = record.invocations.length + 1
    const invocation: SimInvocation = { number, kind, instance: process.number, startedAtMs: world.nowMs }
    record.invocations.push(invocation)
    running.add(invocation)
    world.note(`invocation ${number} (${kind}) begins in instance ${process.number}`)
    const work: Promise<unknown>[] = []
    const ctx = plan.platform === 'many' ? { waitUntil: (one: Promise<unknown>) => void work.push(one) } : {}
    let limit = world.timeline.after(plan.platform === 'many' ? SCHEDULED_MS : ONE_MS, () => end('killed'))
    const end = (how: SimInvocation['how'] & string) => {
      if (invocation.how !== undefined) return
      limit.cancel()
      Object.assign(invocation, { how, endedAtMs: world.nowMs })
      world.note(`invocation ${number} has ${how}`)
      running.delete(invocation)
      if (how === 'killed' && process.alive) this.kill(instance)
      else if (process.alive && running.size === 0 && process.timers > 0)
        world.violate('nothing outlives an invocation', `${process.timers} timers are left after invocation ${number}`)
    }
    return new Promise<T>((resolve, reject) => {
      process.onKill.add(() => {
        end('killed')
        reject(new Error('the instance has ended'))
      })
      const result = inside.run({ invocation, process }, () => call(bot, env, ctx))
      const over = async (how: 'ended' | 'failed') => {
        if (!process.alive) return
        if (kind !== 'scheduled' && plan.platform === 'many') {
          limit.cancel()
          limit = world.timeline.after(AFTER_MS, () => end('killed'))
        }
        await Promise.allSettled(work)
        if (process.alive) end(how)
      }
      result.then(
        (value) => {
          if (process.alive) resolve(value)
          void over('ended')
        },
        (error: Error) => {
          if (process.alive) reject(error)
          void over('failed')
        },
      )
    })
  }

  /** An instance ends, with all that it runs. */
  kill(instance: Instance): void {
    const { record, world } = this.#o
    if (instance.running.size > 0) record.kills.push(world.nowMs)
    world.note(`instance ${instance.process.number} ends`)
    this.instances.splice(this.instances.indexOf(instance), 1)
    instance.process.kill()
  }

  killProcess(process: SimProcess): void {
    const instance = this.instances.find((one) => one.process === process)
    if (instance) this.kill(instance)
  }

  #pick(): Instance {
    const { plan, random } = this.#o
    for (const one of [...this.instances]) if (one.running.size === 0 && random.chance(IDLE_END)) this.kill(one)
    const most = plan.platform === 'many' ? MOST : 1
    const free = this.instances.filter(({ running }) => running.size < most)
    return free.length === 0 || random.chance(COLD_START) ? this.#start() : random.pick(free)
  }

  #start(): Instance {
    const { create, plan, world } = this.#o
    const host = new SimHost(world)
    const number = ++this.#instances
    host.skewMs = plan.skewsMs[number % plan.skewsMs.length]!
    const process = new InstanceProcess(host, number)
    const instance = { process, ...create(process), running: new Set<SimInvocation>() }
    this.instances.push(instance)
    return instance
  }
}
