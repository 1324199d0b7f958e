// The bot's side of the seam for features. The runtime's side is `Observer`.

import type { BotEvent, Delivery, EventKey } from '@botwright/events/event'
import type { NearSubcommand, PassedTo, Unanswered, UnmatchedReason, WaitFor } from '@botwright/protocol/timeline'
import type { Call, CallOptions } from '@botwright/rest'
import type { Guard } from '../author/guards/guard.ts'
import type { StateStore } from '../author/ports.ts'
import type { SpanId } from '../link/messages.ts'
import type { Outcome, RunEnd } from '../link/ports.ts'
import type { FailureDetails } from '../link/recorded-step.ts'

/** Handles a delivery. */
export type Handle = (delivery: Delivery) => void | Promise<RunEnd | void>

/** The options of a call, with the facts that layers add for the runtime. */
export interface LayeredCallOptions extends CallOptions {
  /** The event whose handler makes the call. */
  eventId?: EventKey
  /** The span of the call. */
  span?: SpanId
}

/** An author's function around a handler, or the handler itself, with its file. */
export interface CodePlace {
  kind: 'middleware' | 'handler'
  file: string
}

/** A durable run whose function runs. */
export interface DurableRun {
  /** Whether its code repeats its record at this moment. `open`: the next step is in the record, but has not ended. */
  repeats: () => 'open' | boolean
  /** Set if it continues from its record. The fields are those of a step of a timeline. */
  continued?: { run: string; file: string; answer?: EventKey; restarted?: true }
}

/**
 * The file that handles an event, the reason why one file does not, or the reason why none does. `near`: the name that was probably meant.
 */
export type MatchResult =
  | { file: string; near?: NearSubcommand }
  | { reason: 'for_waiting_handler'; to: PassedTo }
  | { reason: Exclude<UnmatchedReason, 'for_waiting_handler' | 'skipped' | 'set_aside' | OfFile>; near?: string }
  | { reason: OfFile | 'bot_message'; file: string; rule?: string }

/** Why a file does not run now. */
type OfFile = 'condition' | 'gathered'

/** A wait of a handler. */
interface Wait {
  for: Exclude<WaitFor, 'budget'>
  /** How long it lasts at most. */
  mostMs?: number
  /** Its end: `an answer from ann in #general`. */
  what?: string
  /** The name of a step. */
  name?: string
}

/** Ends a wait. `unanswered`: how, if it was a question that was not answered. */
export type EndWait = (unanswered?: Unanswered) => void

/**
 * A feature around the bot's code: a closed list of what it may wrap, and of the moments that it may see. Layers are joined once, when the code
 * is loaded. A bot without a feature has no layer of it, and pays a property read at most.
 */
export interface Layer {
  /** Wraps the client's call. */
  call?: (call: Call) => Call
  /** Wraps the store of the bot's values. */
  store?: (store: StateStore) => StateStore
  /** Wraps a guard of this file. */
  guard?: (guard: Guard, file: string) => Guard
  /** Wraps a middleware or a handler. */
  code?: <A extends unknown[]>(run: (...given: A) => unknown, place: CodePlace) => (...given: A) => unknown
  /** Wraps the handling of deliveries, those of tasks included. `fileOf` returns the file that handles one. */
  handle?: (handle: Handle, fileOf: (delivery: Delivery) => string | undefined) => Handle
  /** Runs work that belongs to an event: the handling of its delivery, the apology for it, or the function of its durable run. */
  within?: <T>(event: BotEvent, work: () => T, run?: DurableRun) => T
  /** An event was matched. Returns the function to call when the handler that it was passed to waits again or has ended. */
  matched?: (result: MatchResult) => (() => void) | undefined
  /** A handler of this file is about to wait, in the line that runs. Returns the function that begins the wait. */
  waits?: (file: string) => (wait: Wait) => EndWait
  /** A handler has failed in this line of the bot's own code. Returns details for its outcome. */
  failed?: (error: unknown, at: string) => FailureDetails
  /** A handler has ended. Its promise settles later. */
  outcome?: (outcome: Outcome) => void
  /** Messages leave the thread. Sends what was collected. */
  flush?: () => void
}

type Members = Required<Layer>

/** How two layers become one. */
const joins: { [M in keyof Members]: (outer: Members[M], inner: Members[M]) => Members[M] } = {
  call: (outer, inner) => (call) => outer(inner(call)),
  store: (outer, inner) => (store) => outer(inner(store)),
  guard: (outer, inner) => (guard, file) => outer(inner(guard, file), file),
  code: (outer, inner) => (run, place) => outer(inner(run, place), place),
  handle: (outer, inner) => (handle, fileOf) => outer(inner(handle, fileOf), fileOf),
  within: (outer, inner) => (event, work, run) => outer(event, () => inner(event, work, run), run),
  matched: (outer, inner) => (result) => both(outer(result), inner(result)),
  waits: (outer, inner) => (file) => {
    const [one, other] = [outer(file), inner(file)]
    return (wait) => both(one(wait), other(wait))
  },
  failed: (outer, inner) => (error, at) => ({ ...inner(error, at), ...outer(error, at) }),
  outcome: both,
  flush: both,
}

const members = Object.keys(joins) as (keyof Layer)[]

/** One layer for all, the outermost first. It has only the members that at least one of them has. */
export const layerOf = (layers: readonly Layer[]): Layer => layers.reduceRight<Layer>(joined, {})

function joined(inner: Layer, outer: Layer): Layer {
  const all = { ...inner, ...outer }
  for (const member of members) join(all, member, outer[member], inner[member])
  return all
}

function join<M extends keyof Members>(all: Layer, member: M, outer?: Members[M], inner?: Members[M]): void {
  if (outer && inner) all[member] = joins[member](outer, inner)
}

/** Calls both functions. */
function both<A extends unknown[]>(
  one: ((...given: A) => void) | undefined,
  other: ((...given: A) => void) | undefined,
): (...given: A) => void {
  return (...given) => {
    one?.(...given)
    other?.(...given)
  }
}
