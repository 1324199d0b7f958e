import type { SeededRandom } from '@botwright/clock/simulated'
import type { BotSource } from '@botwright/framework'
import type { DiskFate } from './sim-disk.ts'
import type { Incident } from './plan.ts'
import type { PostFate, SimWebhook } from './sim-webhook.ts'
import type { HttpFate, SimRequest } from './sim-network.ts'
import type { SimHost } from './sim-host.ts'
import type { SimFacts } from './facts.ts'
import type { Supervisor } from './supervisor.ts'

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

/** Makes the faults of a plan happen. */
export class Incidents {
  readonly #o: Options
  readonly #http = new Set<Http>()
  readonly #disk = new Set<Disk>()
  readonly #webhook = new Set<Webhook>()
  /** Rounds of work until a process is killed. */
  #rounds: { left: number; downMs: number } | undefined
  /** Writes until a process is killed. */
  #writes: { left: number; after: boolean; downMs: number } | undefined
  #isOver = false

  constructor(options: Options) {
    this.#o = options
    options.disk.rule = (use, file) => this.#fateOfDisk(use, file)
    options.webhook.fateOf = () => this.#fateOfPost()
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
        this.#rounds = { left: incident.rounds, downMs: incident.downMs }
        return
      case 'kill_at_write':
        this.#writes = { left: incident.write, after: incident.after, downMs: incident.downMs }
        return
      case 'stop':
        void supervisor.stop(incident.graceMs).then(() => supervisor.startIn(incident.downMs))
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
    this.#rounds = this.#writes = undefined
  }

  /** Called after each round of work. */
  round(): void {
    const kill = this.#rounds
    if (!kill || !this.#o.supervisor.isUp || kill.left-- > 0) return
    this.#rounds = undefined
    this.#kill(kill.downMs)
  }

  fateOf(request: Pick<SimRequest, 'method' | 'path'>): HttpFate {
    const { random } = this.#o
    for (const { share, fates, paths } of this.#http)
      if ((paths === undefined || request.path.includes(paths)) && random.chance(share)) return random.pick(fates)
    return 'ok'
  }

  #fateOfPost(): PostFate {
    const { random } = this.#o
    for (const { share, fates } of this.#webhook) if (random.chance(share)) return random.pick(fates)
    return 'ok'
  }

  #fateOfDisk(use: 'read' | 'write', file: string): DiskFate {
    const { random, supervisor, world } = this.#o
    const kill = this.#writes
    if (kill && use === 'write' && supervisor.isUp && kill.left-- <= 0) {
      this.#writes = undefined
      world.timeline.after(0, () => supervisor.startIn(kill.downMs))
      return kill.after ? 'kill_after' : 'kill_before'
    }
    for (const one of this.#disk) {
      if (one.use !== use || (one.file !== undefined && one.file !== file) || !random.chance(one.share)) continue
      world.note(`${use} of ${file}: ${JSON.stringify(one.fate)}`)
      return one.fate
    }
    return 'ok'
  }

  #kill(downMs: number): void {
    this.#o.supervisor.process.kill()
    this.#o.supervisor.startIn(downMs)
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
