import { readStateKey } from './state-keys.ts'
import type { SimHost } from '../sim-host.ts'
import type { HttpFate } from '../sim-network.ts'
import type { SimWorld } from '../sim-world.ts'
import type { Supervisor } from '../supervisor.ts'
import type { Fault } from './cases/case.ts'
import type { Crowd } from './crowd.ts'
import type { Place } from './places.ts'
import type { OwnWrite, WriteFate } from './play-store.ts'

interface Options {
  world: SimWorld
  host: SimHost
  supervisor: Supervisor
  crowd: Crowd
  /** A channel of the first server. */
  channel: string
  note: (line: string) => void
  /** Where the bot writes, if the write itself does not show it. */
  placeNow: () => Place | undefined
}

/** A fault can have effects for so long after its end: a call is retried for a while. */
const AFTER_MS = 90_000

/** Makes the faults of a case happen. */
export class PlayFaults {
  /** The last place that wrote a state, for the file and line of what goes wrong after it. */
  lastWrite: Place | undefined
  /** The write at which the process was killed. */
  killedAt: Place | undefined
  /** Polls wait until then. */
  #leap: { untilMs: number; over: Promise<void> } | undefined
  readonly #o: Options
  readonly #http: Extract<Fault, { kind: 'http' }>[] = []
  /** Writes that will fail. */
  #writes = 0
  readonly #until = new Map<Fault['kind'], number>()
  /** Each counts the writes after the one before it. */
  readonly #kills: { left: number; after: boolean }[] = []
  #isOver = false

  constructor(options: Options) {
    this.#o = options
  }

  begin(fault: Fault): void {
    if (this.#isOver) return
    const { world, host, supervisor, crowd, note, channel } = this.#o
    const { nowMs, timeline } = world
    this.#until.set(fault.kind, nowMs + ('forMs' in fault ? fault.forMs : 0))
    switch (fault.kind) {
      case 'http':
        note(
          `  fault: ${fault.calls === 1 ? 'the next call fails' : `the next ${fault.calls} calls fail`} (${fault.fate})`,
        )
        this.#http.push({ ...fault })
        return
      case 'store':
        note(
          `  fault: ${fault.writes === 1 ? 'the next value cannot' : `the next ${fault.writes} values cannot`} be stored`,
        )
        this.#writes += fault.writes
        return
      case 'kill':
        note(`  fault: the process is killed, and starts again ${fault.downMs / 1000} s later`)
        supervisor.process.kill()
        return supervisor.startIn(fault.downMs)
      case 'kill_at_write':
        this.#kills.push({ left: fault.write, after: fault.after })
        return
      case 'stop':
        note(`  fault: the bot is stopped, and starts again ${fault.downMs / 1000} s later`)
        void supervisor.stop(10_000).then(() => supervisor.startIn(fault.downMs))
        return
      case 'skew':
        note(`  fault: the clock of the computer jumps by ${fault.byMs / 1000} s`)
        host.skewMs += fault.byMs
        return
      case 'leap': {
        note(`  ${fault.forMs / 3_600_000} hours pass`)
        const untilMs = nowMs + fault.forMs
        this.#leap = { untilMs, over: new Promise((resolve) => void timeline.at(untilMs, resolve)) }
        return
      }
      case 'forbid':
        note(`  fault: the bot cannot see a channel for ${fault.forMs / 1000} s`)
        void crowd.asOwner('PATCH', `/channels/${channel}`, { private: true })
        timeline.after(fault.forMs, () => void crowd.asOwner('PATCH', `/channels/${channel}`, { private: false }))
        return
    }
  }

  /** Ends all faults. */
  end(): void {
    this.#isOver = true
    this.#http.length = this.#writes = 0
    this.#kills.length = 0
  }

  /** Lets time pass without people. */
  reopen(): void {
    this.#isOver = false
  }

  /** Whether a fault of this kind can be the cause of what happens now. */
  explains(kind: Fault['kind']): boolean {
    return this.#o.world.nowMs <= (this.#until.get(kind) ?? -Infinity) + AFTER_MS
  }

  /** Polls are repeated anyway. */
  fateOf({ path }: { path: string }): HttpFate {
    const [http] = this.#http
    if (!http || path.startsWith('/v1/events')) return 'ok'
    this.#until.set('http', this.#o.world.nowMs)
    if (--http.calls <= 0) this.#http.shift()
    return http.fate
  }

  holdPoll(): Promise<void> | undefined {
    return this.#leap && this.#leap.untilMs > this.#o.world.nowMs ? this.#leap.over : undefined
  }

  fateOfWrite({ key, place = this.#o.placeNow() }: OwnWrite): WriteFate {
    const { note } = this.#o
    if (place) this.lastWrite = place
    const [kill] = this.#kills
    if (kill && kill.left-- <= 0) {
      this.#kills.shift()
      this.killedAt = place
      const at = place ? `${place.file}:${place.line}` : 'the bot'
      note(`  fault: the process is killed ${kill.after ? 'after' : 'before'} ${at} stores "${readStateKey(key)}"`)
      return kill.after ? 'kill_after' : 'kill_before'
    }
    if (this.#writes === 0) return 'ok'
    this.#writes--
    return 'fails'
  }

  /** The process ends at once, and starts again. */
  kill(): void {
    const { supervisor } = this.#o
    this.#until.set('kill_at_write', this.#o.world.nowMs)
    supervisor.process.kill()
    supervisor.startIn(1000)
  }
}
