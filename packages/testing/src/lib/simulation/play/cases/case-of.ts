import { SeededRandom } from '@botwright/clock/simulated'
import type { FaultKind } from '@botwright/dev/compile'
import type { Definition } from '@botwright/framework'
import { type Act, type Fault, type Mode, optionOf, type PlayCase } from './case.ts'
import { commandText, plainText, type Vocabulary } from '../values.ts'

/** The names, places and commands that a case can use. */
export interface Stage {
  commands: readonly Definition[]
  known: Omit<Vocabulary, 'earlier'>
  /** The channels that each person can write in, by the number of the person; `dm` is always among them. */
  places: readonly (readonly string[])[]
  /** The types of events that the bot has handlers for. */
  events: ReadonlySet<string>
  /** Texts that the author has added. */
  says: readonly string[]
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Longer than the bot needs for an answer, so that each answer belongs to one act. */
const CALM_GAP_MS = 5000
/** Each act costs the machine time. */
const MOST_ACTS = 60
const MOST_OTHERS = 8

const modes: readonly Mode[] = ['faults', 'restart', 'faults', 'alone', 'faults', 'together', 'faults', 'zone']
const kinds = ['http', 'kill', 'kill_at_write', 'stop', 'store', 'skew', 'leap', 'forbid'] as const

/** Few long ones: a day takes the processor a third of a second. */
const leapHours = [1, 1, 1, 1, 9, 9, 9, 9, 25, 25, 25, 25, 25, 25, 73, 8 * 24]

/** Draws what happens in the play of a seed. */
export function caseOf(
  seed: number,
  stage: Stage,
  { minutes, faults }: { minutes: number; faults: readonly FaultKind[] },
): PlayCase {
  const random = new SeededRandom(seed)
  const drawnMode = modes[seed % modes.length]!
  // Some modes are about two people.
  const mode = stage.places.length < 2 && (drawnMode === 'alone' || drawnMode === 'together') ? 'restart' : drawnMode
  const lengthMs = minutes * MINUTE_MS
  const drawn = new Drawing(random, stage)
  const all =
    mode === 'faults'
      ? drawn.crowd(lengthMs)
      : mode === 'alone'
        ? drawn.apart(lengthMs)
        : mode === 'together'
          ? drawn.pairs(lengthMs)
          : drawn.calm(lengthMs)
  const acts = all.filter(({ atMs }) => atMs < lengthMs)
  const allowed = kinds.filter((kind) => faults.includes(optionOf[kind]))
  const some = allowed.filter((kind) => random.chance(kind === 'kill_at_write' ? 0.6 : 0.4))
  const chosen = mode !== 'faults' ? [] : some.length > 0 || allowed.length === 0 ? some : [random.pick(allowed)]
  const drawnFaults = chosen.flatMap((kind) =>
    Array.from({ length: 1 + random.int(kind === 'leap' || kind === 'forbid' ? 2 : 4) }, () =>
      faultOf(kind, random, acts.length > 0 ? random.pick(acts).atMs + random.int(2000) - 200 : random.int(lengthMs)),
    ),
  )
  return { seed, mode, lengthMs, acts, faults: drawnFaults.sort((a, b) => a.atMs - b.atMs) }
}

function faultOf(kind: Fault['kind'], random: SeededRandom, nearMs: number): Fault {
  const atMs = Math.max(0, nearMs)
  const forMs = random.pick([500, 4000, 20_000])
  switch (kind) {
    case 'http': {
      const fate = random.pick(['refused', 'cut_after', 'timeout_after', '500', '502_after'] as const)
      return { kind, atMs, fate, calls: random.pick([1, 3, 10]) }
    }
    case 'kill':
    case 'stop':
      return { kind, atMs, downMs: random.pick([500, 5000, 90_000]) }
    case 'kill_at_write':
      return { kind, atMs, write: random.pick([0, 0, 1, 2]), after: random.chance(0.7) }
    case 'store':
      return { kind, atMs, writes: random.pick([1, 1, 4]), skip: random.pick([0, 0, 1, 2]) }
    case 'skew':
      return { kind, atMs, byMs: random.pick([-1, 1]) * random.pick([5000, 10 * MINUTE_MS, 26 * HOUR_MS]) }
    case 'leap':
      return { kind, atMs, forMs: random.pick(leapHours) * HOUR_MS }
    case 'forbid':
      return { kind, atMs, forMs }
  }
}

class Drawing {
  readonly #random: SeededRandom
  readonly #stage: Stage & { known: Vocabulary }
  /** The commands that people of this seed like: each seed goes deep into a few. */
  readonly #favourites: readonly Definition[]

  constructor(random: SeededRandom, stage: Stage) {
    this.#random = random
    this.#stage = { ...stage, known: { ...stage.known, earlier: [] } }
    const some = stage.commands.filter(() => random.chance(0.3))
    this.#favourites = some.length > 0 ? some : stage.commands
  }

  /** People act in bursts, at the same time too. */
  crowd(lengthMs: number): Act[] {
    const random = this.#random
    const acts: Act[] = []
    for (let atMs = 1000 + random.int(3000); atMs < lengthMs && acts.length < MOST_ACTS;) {
      const person = this.#person()
      const place = this.#placeOf(person)
      if (random.chance(0.04)) {
        const collected = this.#collects(person, place, atMs)
        acts.push(...collected)
        atMs = collected.at(-1)!.atMs + CALM_GAP_MS
      }
      const count = 1 + random.int(5)
      for (let i = 0; i < count; i++) {
        const who = random.chance(0.8) ? person : this.#person()
        const where = random.chance(0.9) && this.#stage.places[who]!.includes(place) ? place : this.#placeOf(who)
        acts.push({ atMs, person: who, place: where, ...(i === 0 ? this.#say() : this.#follow()) })
        atMs += random.chance(0.25) ? random.int(30) : 300 + random.int(7000)
      }
      atMs += random.int((lengthMs / MOST_ACTS) * 6)
    }
    return acts.sort((a, b) => a.atMs - b.atMs)
  }

  /** One act at a time, with time for the answer of the bot. */
  calm(lengthMs: number, who?: readonly number[], placeOf = (person: number) => this.#placeOf(person)): Act[] {
    const random = this.#random
    const acts: Act[] = []
    const most = Math.min(30, Math.floor(lengthMs / CALM_GAP_MS))
    let person = who ? random.pick(who) : this.#person()
    let place = placeOf(person)
    for (let i = 0, atMs = CALM_GAP_MS; i < most; i++) {
      const isNew = i === 0 || random.chance(0.5)
      if (isNew && random.chance(0.6)) {
        person = who ? random.pick(who) : this.#person()
        place = placeOf(person)
      }
      acts.push({ atMs, person, place, ...(isNew ? this.#say() : this.#follow()) })
      atMs += CALM_GAP_MS + (random.chance(0.1) ? random.int(90_000) : 0)
    }
    return acts
  }

  /** Two people who never meet: one in a server, the other in direct messages. */
  apart(lengthMs: number): Act[] {
    const [first = 0, second = 1] = this.#two()
    const place = this.#stage.places[first]![0]!
    return this.calm(lengthMs, [first, second], (person) => (person === first ? place : 'dm'))
  }

  /** Two people who do the same kind of thing at the same instant, in different places. */
  pairs(lengthMs: number): Act[] {
    const random = this.#random
    const [first = 0, second = 1] = this.#two()
    const places = [this.#stage.places[first]![0]!, this.#stage.places[second]!.at(1) ?? 'dm']
    const acts: Act[] = []
    const most = Math.min(12, Math.floor(lengthMs / CALM_GAP_MS / 2))
    for (let i = 0, atMs = CALM_GAP_MS; i < most; i++, atMs += 2 * CALM_GAP_MS) {
      const command = this.#command()
      const isSame = random.chance(0.7)
      acts.push({ atMs, person: first, place: places[0]!, ...this.#sayOf(command) })
      acts.push({
        atMs,
        person: second,
        place: places[1]!,
        ...(isSame ? this.#sayOf(command) : this.#say()),
      })
    }
    return acts
  }

  /** A person who uses one command again and again, with long texts, and then looks at all others. */
  #collects(person: number, place: string, beginMs: number): Act[] {
    const random = this.#random
    const gapMs = random.pick([3000, 15_000, 65_000])
    const command = this.#command()
    const repeated = Array.from({ length: 8 + random.int(16) }, () => this.#sayOf(command, true))
    const others = this.#stage.commands.slice(0, MOST_OTHERS).map((one) => this.#sayOf(one))
    return [...repeated, ...others].map((act, i) => ({ atMs: beginMs + i * gapMs, person, place, ...act }))
  }

  #two(): number[] {
    const all = this.#stage.places.map((_, i) => i)
    const first = this.#random.pick(all)
    return [first, this.#random.pick(all.filter((one) => one !== first))]
  }

  #person(): number {
    return this.#random.int(this.#stage.places.length)
  }

  #placeOf(person: number): string {
    return this.#random.pick(this.#stage.places[person]!)
  }

  #command(): Definition | undefined {
    const { commands } = this.#stage
    if (commands.length === 0) return undefined
    return this.#random.pick(this.#random.chance(0.75) ? this.#favourites : commands)
  }

  #say(): { do: 'say'; text: string } {
    const { says, known } = this.#stage
    if (says.length > 0 && this.#random.chance(0.2)) return { do: 'say', text: this.#random.pick(says) }
    return this.#random.chance(0.9) ? this.#sayOf(this.#command()) : { do: 'say', text: plainText(this.#random, known) }
  }

  #sayOf(command: Definition | undefined, isLong = false): { do: 'say'; text: string } {
    const { known } = this.#stage
    return {
      do: 'say',
      text: command ? commandText(command, this.#random, { ...known, isLong }) : plainText(this.#random, known),
    }
  }

  #follow() {
    const random = this.#random
    const pick = random.int(1000)
    const roll = random.next()
    const { events, known } = this.#stage
    if (roll < 0.1 && (events.has('reaction_add') || events.has('reaction_remove') || roll < 0.04))
      return { do: 'react', pick, emoji: random.pick(['👍', '✅', '🎉']) } as const
    if (roll < 0.2 && (events.has('member_join') || events.has('member_leave') || roll < 0.12))
      return { do: 'leave', forMs: 2000 + random.int(20_000) } as const
    if (roll < 0.24) return { do: 'delete', pick } as const
    if (roll < 0.26) return { do: 'edit', pick, text: plainText(random, known) } as const
    if (roll < 0.68)
      return random.chance(0.15) ? ({ do: 'click', pick, twice: true } as const) : ({ do: 'click', pick } as const)
    if (roll < 0.88) return { do: 'say', text: plainText(random, known) } as const
    return this.#say()
  }
}
