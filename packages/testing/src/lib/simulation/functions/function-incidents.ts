import type { SeededRandom } from '@botwright/clock/simulated'
import { drawFate } from '../incidents.ts'
import type { SimProcess } from '../sim-host.ts'
import type { HttpFate, SimRequest } from '../sim-network.ts'
import type { SimWebhook } from '../sim-webhook.ts'
import type { FunctionFacts } from './function-facts.ts'
import type { FunctionIncident } from './function-plan.ts'
import type { StoreFate } from './function-store.ts'
import type { Platform } from './platform.ts'

type Of<K extends FunctionIncident['kind']> = Extract<FunctionIncident, { kind: K }>

interface Options extends FunctionFacts {
  platform: Platform
  webhook: SimWebhook
  random: SeededRandom
  /** Calls `scheduled`. */
  scheduled: () => void
}

/** Makes the faults of a plan happen. */
export class FunctionIncidents {
  /** Whether a resource of the bot cannot be opened. */
  isDown = false
  isUnscheduled = false
  readonly #o: Options
  readonly #http = new Set<Of<'http'>>()
  readonly #webhook = new Set<Of<'webhook'>>()
  readonly #store = new Set<Of<'store'>>()
  /** Rounds, writes and requests until an instance is killed. */
  readonly #rounds: { left: number }[] = []
  readonly #writes: { left: number; after: boolean }[] = []
  readonly #requests: { left: number }[] = []

  constructor(options: Options) {
    this.#o = options
    options.webhook.fateOf = () => drawFate(this.#webhook, options.random)
  }

  begin(incident: FunctionIncident): void {
    const { record, scheduled, service, world } = this.#o
    const forMs = 'forMs' in incident ? incident.forMs : 0
    record.incidents.push({ incident, fromMs: world.nowMs, toMs: world.nowMs + forMs })
    world.note(`incident ${JSON.stringify(incident)}`)
    const during = <T>(active: Set<T>, one: T) => {
      active.add(one)
      world.timeline.after(forMs, () => active.delete(one))
    }
    switch (incident.kind) {
      case 'http':
        return during(this.#http, incident)
      case 'webhook':
        return during(this.#webhook, incident)
      case 'store':
        return during(this.#store, incident)
      case 'kill':
        return void this.#rounds.push({ left: incident.rounds })
      case 'kill_at_write':
        return void this.#writes.push({ left: incident.write, after: incident.after })
      case 'kill_at_request':
        return void this.#requests.push({ left: incident.request })
      case 'down':
      case 'unscheduled': {
        const name = incident.kind === 'down' ? 'isDown' : 'isUnscheduled'
        this[name] = true
        world.timeline.after(forMs, () => (this[name] = false))
        return
      }
      case 'scheduled':
        return scheduled()
      case 'renumber':
        return service.renumber()
    }
  }

  /** Ends all faults. */
  end(): void {
    for (const active of [this.#http, this.#webhook, this.#store]) active.clear()
    for (const kills of [this.#rounds, this.#writes, this.#requests]) kills.length = 0
    this.isDown = this.isUnscheduled = false
  }

  /** Called after each round of work. */
  round(): void {
    const { platform, random } = this.#o
    const [kill] = this.#rounds
    if (!kill || platform.busy.length === 0 || kill.left-- > 0) return
    this.#rounds.shift()
    platform.kill(random.pick(platform.busy))
  }

  fateOf({ path }: Pick<SimRequest, 'path'>): HttpFate {
    return drawFate(this.#http, this.#o.random, path)
  }

  /** The service has carried out a request of an instance. */
  carriedOut({ method }: Pick<SimRequest, 'method'>, process: SimProcess): void {
    const [kill] = this.#requests
    if (method === 'GET' || !kill || kill.left-- > 0) return
    this.#requests.shift()
    this.#o.platform.killProcess(process)
  }

  fateOfStore(use: 'read' | 'write', name: string): StoreFate {
    const { random, world } = this.#o
    const [kill] = this.#writes
    if (kill && use === 'write' && kill.left-- <= 0) {
      this.#writes.shift()
      return kill.after ? 'kill_after' : 'kill_before'
    }
    for (const { key = '', share, fate } of this.#store) {
      if (!name.startsWith(key) || !random.chance(share)) continue
      world.note(`${use} of ${name}: ${JSON.stringify(fate)}`)
      return fate
    }
    return 'ok'
  }
}
