import type { Timer } from '@botwright/clock'
import type { RunningBot } from '@botwright/framework/start'
import type { SimLife, SimRecord } from './record.ts'
import { type SimHost, SimProcess } from './sim-host.ts'

/** The processes of the bot, one after the other. */
export class Supervisor {
  process: SimProcess
  running: RunningBot | undefined
  isStopping = false
  readonly #start: (process: SimProcess) => Promise<RunningBot>
  readonly #host: SimHost
  readonly #record: SimRecord
  #number = 0
  #wantsStart: Timer | undefined
  /** When it starts again. */
  startsAtMs = 0

  constructor(host: SimHost, record: SimRecord, start: (process: SimProcess) => Promise<RunningBot>) {
    this.#host = host
    this.#record = record
    this.#start = start
    this.process = new SimProcess(host, 0)
    this.process.alive = false
  }

  get isUp(): boolean {
    return this.process.alive
  }

  start(): void {
    if (this.isUp) return
    this.#wantsStart?.cancel()
    this.#wantsStart = undefined
    const { world } = this.#host
    const process = (this.process = new SimProcess(this.#host, ++this.#number))
    this.running = undefined
    this.isStopping = false
    world.note(`process ${process.number} starts`)
    const life: SimLife = { number: process.number, startedAtMs: world.nowMs }
    this.#record.lives.push(life)
    process.onKill.add(() => {
      life.endedAtMs ??= world.nowMs
      life.how ??= 'killed'
      this.#record.skipped += this.running?.stats().skipped ?? 0
      this.running = undefined
      world.note(`process ${process.number} has ended: ${life.how}`)
    })
    void this.#start(process).then(
      (running) => {
        if (!process.alive) return
        this.running = running
        life.readyAtMs = world.nowMs
        world.note(`process ${process.number} is ready`)
        void running.ended.then(({ reason, error }) => {
          if (!process.alive || this.isStopping) return
          world.violate('liveness', `process ${process.number} ended by itself: ${reason} ${error?.message ?? ''}`)
          process.kill()
          this.startIn(1000)
        })
      },
      (error: unknown) => {
        if (!process.alive) return
        world.note(`process ${process.number} could not start: ${(error as Error).message}`)
        life.how = 'failed'
        process.kill()
        this.startIn(1000)
      },
    )
  }

  startIn(ms: number): void {
    if (this.#wantsStart) return
    const { timeline } = this.#host.world
    this.startsAtMs = Math.max(timeline.nowMs + ms, this.#host.awakeAtMs)
    this.#wantsStart = timeline.at(this.startsAtMs, () => {
      this.#wantsStart = undefined
      this.start()
    })
  }

  /** Stops it at the end of a run. False: it does not stop within `limitMs`. */
  async stopWithin(limitMs: number): Promise<boolean> {
    const { world } = this.#host
    let hasStopped = false
    void this.stop(10_000).then(() => (hasStopped = true))
    await world.run(world.nowMs + limitMs, () => hasStopped)
    return hasStopped
  }

  /** Stops it as a signal does, and ends it. */
  async stop(graceMs: number): Promise<void> {
    const { process, running } = this
    if (this.isStopping || !process.alive) return
    if (!running) return process.kill()
    this.isStopping = true
    const life = this.#record.lives.at(-1)!
    // From now on it starts nothing.
    life.endedAtMs = this.#host.world.nowMs
    await running.stop({ graceMs })
    if (process.alive) life.how = 'stopped'
    process.kill()
  }
}
