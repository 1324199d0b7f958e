import type { TrackedClick } from '../protocol/clicks.ts'
import type { Member } from './wire.test.fixture.ts'
import type { Run } from './world.test.fixture.ts'

/** A click, with the time at which its turn was taken last, and whether that is under way. */
type SimClick = TrackedClick & { id: number; takenAtMs: number; taking?: boolean }

/** How long a request takes that answers or acknowledges a click. */
const REQUEST_MS = 20

/** The clicks of one life of an instance: the decisions of `protocol/clicks.ts`, as the engine takes them. */
export class SimClicks {
  readonly #instance: Member
  readonly #life: string
  readonly #clicks = new Map<string, SimClick>()
  isOver = false

  constructor(instance: Member, life: string) {
    this.#instance = instance
    this.#life = life
  }

  get size(): number {
    return this.#clicks.size
  }

  /** Acknowledges what is open: the instance leaves. */
  flush(): void {
    for (const [name, click] of this.#clicks) if (click.phase === 'waiting') this.#turn(name, click)
  }

  answer(run: Run, afterMs: number, fenced: (work: () => void) => void): void {
    const { world } = this.#instance
    const id = run.event.id
    const name = String(id)
    this.#instance.after(Math.min(afterMs, run.event.handlerMs), () =>
      fenced(() => {
        if (world.seen.get(id)!.answered) return
        const click = this.#clicks.get(name)
        if (click?.phase === 'acking') return
        if (click) click.phase = 'answering'
        world.effect(run, 'answers')
        world.responded(id, 'answer', this.#life)
        this.#instance.after(REQUEST_MS, () => {
          this.#clicks.delete(name)
          this.#instance.wire.call(
            () => world.p.removeClicks(world.script(), [name]),
            () => {},
          )
        })
      }),
    )
  }

  track(id: number, turnAtMs: number): void {
    const { world } = this.#instance
    const first = world.p.firstTurn(turnAtMs, world.nowMs)
    if (!first) return
    const name = String(id)
    const click = { ...first, takenAtMs: 0, id }
    this.#clicks.set(name, click)
    this.#instance.after(Math.max(0, turnAtMs - world.nowMs), () => this.#turn(name, click))
  }

  #turn(name: string, click: SimClick): void {
    const { world } = this.#instance
    if (this.isOver || this.#clicks.get(name) !== click || click.taking) return
    click.taking = true
    const sentAtMs = world.nowMs
    this.#instance.wire.call(
      () => world.p.takeTurn(world.script(), { interactionId: name, turnAtMs: click.turnAtMs }),
      (turnAtMs) => {
        click.taking = false
        if (this.isOver || this.#clicks.get(name) !== click) return
        if (turnAtMs === undefined || turnAtMs === 0) return void this.#clicks.delete(name)
        click.turnAtMs = turnAtMs
        click.takenAtMs = sentAtMs
        if (world.p.actionAtTurn(click) === 'keep')
          return this.#instance.after(world.p.RENEW_TURN_MS, () => this.#turn(name, click))
        this.#acknowledge(name, click)
      },
    )
  }

  #acknowledge(name: string, click: SimClick): void {
    const { world } = this.#instance
    click.phase = 'acking'
    if (!this.#instance.sure || !world.p.mayLeave(click.takenAtMs, world.nowMs)) return void this.#clicks.delete(name)
    world.responded(click.id, 'ack', this.#life)
    this.#instance.after(REQUEST_MS, () => {
      this.#clicks.delete(name)
      this.#instance.wire.call(
        () => world.p.removeClicks(world.script(), [name]),
        () => {},
      )
    })
  }

  sweep(): void {
    const { world } = this.#instance
    const sentAtMs = world.nowMs
    this.#instance.wire.call(
      () => world.p.sweepClicks(world.script(), { sinceMs: this.#instance.sinceMs }),
      (swept) => {
        for (const { interactionId, turnAtMs } of swept?.taken ?? []) {
          const click = { turnAtMs, phase: 'acking' as const, takenAtMs: sentAtMs, id: Number(interactionId) }
          this.#clicks.set(interactionId, click)
          if (!this.isOver) this.#acknowledge(interactionId, click)
        }
      },
    )
  }
}
