import type { Clock } from '@botwright/clock'
import type { BotEvent } from '@botwright/events/event'
import { BotwrightError, limits } from '@botwright/protocol/facts'
import type { Call, CallOptions } from '@botwright/rest'
import type { Click } from '../../runtime/ports/cluster.ts'
import type { Log } from '../../author/ports.ts'
import { clickedAtMs } from './service-clock.ts'

/** The part of the client's record of answers that automatic acks use. */
export interface Answers {
  open(interactionId: string, leftMs: number): void
  answered(interactionId: string): boolean
  answering(interactionId: string): boolean
}

/** The click of an interaction event; undefined for any other event, or a click without an id or a token. */
export function clickOf(event: BotEvent, clock: Clock): Click | undefined {
  if (event.type !== 'interaction') return undefined
  const { id, token, expires_at } = event.data
  if (typeof id !== 'string' || typeof token !== 'string') return undefined
  const parsed = typeof expires_at === 'string' ? Date.parse(expires_at) : NaN
  const expiresAtMs = Number.isNaN(parsed) ? clock.now() + limits.interaction.open_seconds * 1000 : parsed
  return { interactionId: id, token, expiresAtMs }
}

/** The user sees the click fail after 3 s (§3); one second is left for the request. */
export const ACK_AFTER_MS = 2000

/** How long the ack of a click that arrives now has time: a connection may have been interrupted since the click. */
export function ackWaitMs(event: BotEvent, clock: Clock): number {
  // The time of the service may be unknown, or invalid.
  const ageMs = clock.now() - clickedAtMs(event) || 0
  return Math.min(Math.max(ACK_AFTER_MS - ageMs, 0), ACK_AFTER_MS)
}

/** Acknowledges a click (§3) and logs a failure. Never rejects. */
export async function acknowledge(call: Call, click: Click, log: Log, options?: CallOptions): Promise<void> {
  try {
    await sendAck(call, click, options)
  } catch (error) {
    logUnacknowledged(click, error, log)
  }
}

export async function sendAck(call: Call, { interactionId, token }: Click, options?: CallOptions): Promise<void> {
  const input = { interaction_id: interactionId, token, type: 'ack' } as const
  await call('interactions.callback', input, { priority: 'answer', ...options })
}

export function logUnacknowledged({ interactionId }: Click, error: unknown, log: Log): void {
  const code = error instanceof BotwrightError ? error.code : undefined
  log.warn({ code, interactionId, error }, `a click could not be acknowledged: ${(error as Error).message}`)
}
