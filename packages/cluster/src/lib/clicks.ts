import type { Click } from '@botwright/framework/cluster'
import type { Place } from './place.ts'

/** Longer than any acknowledgement waits. */
const KEPT_MS = 60_000
const ANSWERED = '1'
const BEGUN = '0'

const keyOf = ({ keys }: Place, interactionId: string) => `${keys.answers}:${interactionId}`

/** Notes that a click is being answered, or has been. */
export async function noteAnswer(place: Place, interactionId: string, answered: boolean): Promise<void> {
  const [{ redis }, key] = [place.link, keyOf(place, interactionId)]
  if (answered) await redis.set(key, ANSWERED, 'PX', KEPT_MS)
  // Whoever stood still meanwhile takes nothing back.
  else await redis.set(key, BEGUN, 'PX', KEPT_MS, 'NX')
}

/**
 * Acknowledges a click whose time has come. Somebody who has just begun to answer is left alone the first time; the last time they
 * may have died over it, and an acknowledgement too many does no harm.
 */
export async function acknowledge(
  place: Place,
  click: Click,
  last: boolean,
  ack: (click: Click, last: boolean) => Promise<void>,
): Promise<void> {
  const note = await place.link.redis.get(keyOf(place, click.interactionId))
  if (note === ANSWERED || (note === BEGUN && !last)) return
  await ack(click, last)
  await noteAnswer(place, click.interactionId, true)
}
