import type { Owner } from '@botwright/framework'
import type { World } from '@botwright/service'

/** A stored value of the bot. */
export interface PlayedValue<T> {
  /** Whose value it is: ids of a person, a channel or a server. */
  owner: Owner
  value: T
}

/** A message in the chat, also one that a single person sees. */
export interface PlayedMessage {
  id: string
  /** The name of the person, or of the bot. */
  author: string
  isBot: boolean
  /** The name of the channel, or `dm` with the person. */
  channel: string
  content: string
  at: Date
  deleted: boolean
}

/** A bot between two things that people do: no handler runs. */
export interface PlayedBot {
  /** All stored values of a state: those of `state/balance.ts` are `bot.state<number>('balance')`. */
  state<T = unknown>(name: string): PlayedValue<T>[]
  /** All messages so far, in order. */
  readonly messages: readonly PlayedMessage[]
  /** The ids of the people by name. */
  readonly people: Readonly<Record<string, string>>
  /** The simulated time. Faults of kind `clock` do not move it, nor the times of messages. */
  readonly now: Date
  /**
   * The clock of the bot's computer: its `now()` is that of `ctx.clock.now()`, in milliseconds. Faults of kind `clock` move it; `jumpedMs`
   * is the sum of these jumps so far, forward and back.
   */
  readonly clock: { now(): number; readonly jumpedMs: number }
}

/** Returns false, or a text that describes what is wrong. */
export type Check = (bot: PlayedBot) => boolean | string | void | Promise<boolean | string | void>

/** The people and the world of a simulation. */
export interface SimulationSettings {
  /** Further texts that people write, also whole commands. */
  says?: readonly string[]
  /** Environment variables of the bot. */
  env?: Readonly<Record<string, string>>
  /** The people, servers, channels and roles. Its first bot is this one. */
  world?: World
  /** Answers what the bot requests with `fetch`, and the posts of channel webhooks. Default: the network cannot be reached. */
  fetch?: (request: Request) => Response | Promise<Response>
  /** Warnings that are intended, as `kind file`: `answered_by_other commands/race.ts`. */
  intended?: readonly string[]
}

export interface Invariant {
  name: string
  check: Check
  /** The stack of its declaration. */
  stack: string
}

const invariants: Invariant[] = []
let settings: SimulationSettings = {}

/**
 * Declares in `simulate.ts` what must always hold: `invariant('no negative balance', (bot) => bot.state<number>('balance').every(({ value }) => value >= 0))`.
 * It is checked whenever the bot is idle, also after crashes.
 */
export function invariant(name: string, check: Check): void {
  invariants.push({ name, check, stack: new Error().stack ?? '' })
}

/** Sets what people say and which world they live in, in `simulate.ts`. */
export function simulation(given: SimulationSettings): void {
  settings = { ...settings, ...given }
}

/** The declarations so far, which are forgotten. */
export function takeDeclarations(): { invariants: Invariant[]; settings: SimulationSettings } {
  const taken = { invariants: invariants.splice(0), settings }
  settings = {}
  return taken
}
