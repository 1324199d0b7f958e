import type { SeededRandom } from '@botwright/clock/simulated'
import type { BotSource } from '@botwright/framework'
import type { DiskFate } from './sim-connection.ts'
import type { PowerLoss } from './sim-disk.ts'
import type { Incident } from './plan.ts'
import type { SimWebhook } from './sim-webhook.ts'
import type { HttpFate, SimRequest } from './sim-network.ts'
import type { SimHost } from './sim-host.ts'
import type { SimFacts } from './facts.ts'
import type { Supervisor } from './supervisor.ts'
import type { Points } from './crash-points.ts'

type Http = Extract<Incident, { kind: 'http' }>
type Disk = Extract<Incident, { kind: 'disk' }>
type Webhook = Extract<Incident, { kind: 'webhook' }>

interface Options extends SimFacts {
  host: SimHost
  supervisor: Supervisor
  webhook: SimWebhook
  source: BotSource
  random: SeededRandom
}

/** The end of a process. */
interface Kill {
  downMs: number
  again?: number
  power?: PowerLoss
}

/** The posts of channel webhooks meet the faults of messages. */
const pathOf = ({ path }: Pick<SimRequest, 'path'>): string =>
  path.startsWith('/webhooks/') ? `/v1${path}/messages` : path

interface Fault<F> {
  share: number
  fates: readonly F[]
  paths?: string
}

/** Draws the fate of a request from the faults of the moment. */
export function drawFate<F>(faults: Iterable<Fault<F>>, random: SeededRandom, path = ''): F | 'ok' {
  for (const { share, fates, paths } of faults)
    if ((paths === undefined || path.includes(paths)) && random.chance(share)) return random.pick(fates)
  return 'ok'
}

/** Makes the faults of a plan happen. */
export class Incidents {
  readonly #o: Options
  readonly #http = new Set<Http>()
  readonly #disk = new Set<Disk>()
  readonly #webhook = new Set<Webhook>()
  /** Rounds of work until a process is killed. */
  #rounds: (Kill & { left: number }) | undefined
  /** Writes until a process is killed. */
  #writes: (Kill & { left: number; after: boolean }) | undefined
  /** Requests until a process is killed. */
  #requests: (Kill & { left: number }) | undefined
  /** The points at which the bot could have ended so far. */
  readonly points: Points = { writes: 0, requests: 0 }
  #isOver = false

  constructor(options: Options) {
    this.#o = options
    options.disk.rule = (use, file) => this.#fateOfDisk(use, file)
    options.webhook.fateOf = () => drawFate(this.#webhook, options.random)
  }

  begin(incident: Incident): void {
    if (this.#isOver) return
    const { world, host, supervisor, service, source, record, people } = this.#o
    const forMs = 'forMs' in incident ? incident.forMs : 0
    record.incidents.push({ incident, fromMs: world.nowMs, toMs: world.nowMs + forMs })
    world.note(`incident ${JSON.stringify(incident)}`)
    const during = <T>(active: Set<T>, one: T, forMs: number) => {
      active.add(one)
      world.timeline.after(forMs, () => active.delete(one))
    }
    switch (incident.kind) {
      case 'http':
        return during(this.#http, incident, incident.forMs)
      case 'disk':
        return during(this.#disk, incident, incident.forMs)
      case 'webhook':
        return during(this.#webhook, incident, incident.forMs)
      case 'kill':
        this.#rounds = { ...incident, left: incident.rounds }
        return
      case 'kill_at_write':
        this.#writes = { ...incident, left: incident.write }
        return
      case 'kill_at_request':
        this.#requests = { ...incident, left: incident.request }
        return
      case 'stop':
        // A suspended host can end it after the time of faults.
        void supervisor.stop(incident.graceMs).then(() => supervisor.startIn(this.#isOver ? 0 : incident.downMs))
        return
      case 'reload':
        void supervisor.running?.replace(source).catch((error: Error) => world.note(`no reload: ${error.message}`))
        return
      case 'clock':
        host.skewMs += incident.byMs
        return
      case 'suspend':
        host.suspend(incident.forMs)
        return
      case 'renumber':
        service.renumber()
        return
      case 'forbid':
        return this.#forbid(incident.forMs)
      case 'ban':
        return people.ban(incident.person, incident.forMs)
      case 'role':
        return people.loseRole(incident.person, incident.forMs)
    }
  }

  /** Ends all faults. */
  end(): void {
    this.#isOver = true
    this.#http.clear()
    this.#disk.clear()
    this.#webhook.clear()
    this.#rounds = this.#writes = this.#requests = undefined
  }

  /** Called after each round of work. */
  round(): void {
    const kill = this.#rounds
    if (!kill || !this.#o.supervisor.isUp || kill.left-- > 0) return
    this.#rounds = undefined
    this.#kill(kill)
  }

  fateOf(request: Pick<SimRequest, 'method' | 'path'>): HttpFate {
    return drawFate(this.#http, this.#o.random, pathOf(request))
  }

  /** Called when the service has carried out a request. */
  carriedOut({ method }: Pick<SimRequest, 'method'>): void {
    if (method === 'GET' || this.#isOver || !this.#o.supervisor.isUp) return
    this.points.requests++
    const kill = this.#requests
    if (!kill || kill.left-- > 0) return
    this.#requests = undefined
    this.#kill(kill)
  }

  #fateOfDisk(use: 'read' | 'write', file: string): DiskFate {
    const { random, supervisor, world } = this.#o
    if (use === 'write' && supervisor.isUp && !this.#isOver) this.points.writes++
    const kill = this.#writes
    if (kill && use === 'write' && supervisor.isUp && kill.left-- <= 0) {
      this.#writes = undefined
      world.timeline.after(0, () => this.#kill(kill))
      return kill.after ? 'kill_after' : 'kill_before'
    }
    for (const one of this.#disk) {
      if (one.use !== use || (one.file !== undefined && one.file !== file) || !random.chance(one.share)) continue
      world.note(`${use} of ${file}: ${JSON.stringify(one.fate)}`)
      return one.fate
    }
    return 'ok'
  }

  #kill({ again, downMs, power }: Kill): void {
    const { disk, random, supervisor, world } = this.#o
    supervisor.process.kill()
    if (power) world.note(`power failure: ${disk.losePower(power, random)}`)
    if (again !== undefined) this.#writes = { left: again, after: true, downMs, ...(power && { power }) }
    supervisor.startIn(downMs)
  }

  /** The bot may not see a channel for a while. */
  #forbid(forMs: number): void {
    const { world, people } = this.#o
    const [, channel] = people.channels
    const set = (isPrivate: boolean) =>
      void people
        .asOwner('PATCH', `/channels/${channel}`, { private: isPrivate })
        .then(({ status }) => world.note(`private ${isPrivate}: ${status}`))
    set(true)
    world.timeline.after(forMs, () => set(false))
  }
}
