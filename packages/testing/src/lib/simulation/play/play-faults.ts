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
  /** How far the clock of the computer has jumped so far, in both directions. */
  jumpedMs = 0
  /** The last line that wrote each state, for the file and line of what goes wrong after it. */
  readonly #lastWrites = new Map<string, { place: Place; number: number }>()
  /** The writes at which the process was killed, by the name of their state. */
  readonly #killedAt = new Map<string, Place>()
  /** Polls wait until then. */
  #leap: { untilMs: number; over: Promise<void> } | undefined
  readonly #o: Options
  readonly #http: Extract<Fault, { kind: 'http' }>[] = []
  /** Each counts the writes after the one before it, then those that fail. */
  readonly #failures: { left: number; writes: number }[] = []
  readonly #until = new Map<Fault['kind'], number>()
  /** Each counts the writes after the one before it. */
  readonly #kills: { left: number; after: boolean }[] = []
  #isOver = false
  #number = 0

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
        note(`  fault: ${storeText(fault)} be stored`)
        this.#failures.push({ left: fault.skip ?? 0, writes: fault.writes })
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
        this.jumpedMs += Math.abs(fault.byMs)
        return
      case 'leap': {
        note(`  ${leapText(fault.forMs)} without people`)
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
    this.#http.length = this.#failures.length = this.#kills.length = 0
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

  /** The line that wrote one of these states last. */
  lastWrite(names: ReadonlySet<string>): Place | undefined {
    const found = [...this.#lastWrites].filter(([name]) => names.has(name)).map(([, write]) => write)
    return found.sort((a, b) => b.number - a.number)[0]?.place
  }

  /** The line that wrote one of these states when the process was killed. */
  killedAt(names: ReadonlySet<string>): Place | undefined {
    return [...this.#killedAt].find(([name]) => names.has(name))?.[1]
  }

  forgetKills(): void {
    this.#killedAt.clear()
  }

  fateOfWrite({ name, place }: OwnWrite): WriteFate {
    const { note } = this.#o
    if (place) this.#lastWrites.set(name, { place, number: this.#number++ })
    const [kill] = this.#kills
    if (kill && kill.left-- <= 0) {
      this.#kills.shift()
      const killedAt = place ?? this.#o.placeNow()
      if (killedAt) this.#killedAt.set(name, killedAt)
      const at = killedAt ? `${killedAt.file}:${killedAt.line}` : 'the bot'
      note(`  fault: the process is killed ${kill.after ? 'after' : 'before'} ${at} stores "${name}"`)
      return kill.after ? 'kill_after' : 'kill_before'
    }
    const [failure] = this.#failures
    if (!failure || failure.left-- > 0) return 'ok'
    if (--failure.writes <= 0) this.#failures.shift()
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

function storeText({ writes, skip = 0 }: Extract<Fault, { kind: 'store' }>): string {
  if (skip > 0) return `the next ${skip + writes} values, except the first${skip === 1 ? '' : ` ${skip}`}, cannot`
  return writes === 1 ? 'the next value cannot' : `the next ${writes} values cannot`
}

function leapText(forMs: number): string {
  const hours = Math.round(forMs / 3_600_000)
  if (hours === 1) return 'an hour passes'
  return hours % 24 === 0 ? `${hours / 24} days pass` : `${hours} hours pass`
}
