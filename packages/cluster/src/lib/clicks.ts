import { type Click, limits } from '@botwright/framework/cluster'
import type { Broker } from './broker.ts'
import type { Place } from './place.ts'

/** Longer than any acknowledgement waits. */
const KEPT_MS = 60_000
const ANSWERED = '1'
const BEGUN = '0'
const FAILED = 'failed'
/** The clicker has seen the failure by then (§3). */
const LATE_MS = limits.interaction.answer_seconds * 1000 - 2000
/** For as long as a click may be answered. */
const FAILED_KEPT_MS = limits.interaction.open_seconds * 1000

const keyOf = ({ keys }: Place, interactionId: string) => `${keys.answers}:${interactionId}`

/** Notes that a click is being answered, or has been. */
export async function noteAnswer(place: Place, interactionId: string, answered: boolean): Promise<void> {
  const [{ redis }, key] = [place.link, keyOf(place, interactionId)]
  if (answered) await redis.set(key, ANSWERED, 'PX', KEPT_MS)
  // Whoever stood still meanwhile takes nothing back.
  else await redis.set(key, BEGUN, 'PX', KEPT_MS, 'NX')
}

/** An acknowledgement whose time has come. */
export interface Due {
  click: Click
  /** Nobody looks at it again. */
  last: boolean
  dueMs: number
  /** When this machine came. What was due before that, with no machine there, comes too late. */
  sinceMs: number
}

/** Whether a click's time came while no machine was there: its acknowledgement still waits, or was found too late. */
export async function wasUnheard(place: Place, broker: Broker, click: Click): Promise<boolean> {
  const [note, waits] = await Promise.all([
    place.link.redis.get(keyOf(place, click.interactionId)),
    broker.waitsForAck(click),
  ])
  return note === FAILED || (waits && note !== ANSWERED)
}

/**
 * Acknowledges a click whose time has come. Somebody who has just begun to answer is left alone the first time; the last time they
 * may have died over it, and an acknowledgement too many does no harm.
 */
export async function acknowledge(
  place: Place,
  { click, last, dueMs, sinceMs }: Due,
  ack: (click: Click) => Promise<void>,
): Promise<void> {
  const note = await place.link.redis.get(keyOf(place, click.interactionId))
  if (note === ANSWERED || (note === BEGUN && !last)) return
  if (dueMs + LATE_MS < sinceMs) {
    await place.link.redis.set(keyOf(place, click.interactionId), FAILED, 'PX', FAILED_KEPT_MS, 'NX')
    return
  }
  await ack(click)
  await noteAnswer(place, click.interactionId, true)
}
