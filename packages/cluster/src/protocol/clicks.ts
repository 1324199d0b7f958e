// Decisions about acknowledging clicks: plain data in, plain data out. Times are those of Redis, in milliseconds.
//
// The set `acks` has each open click, with the time of its next turn. The instance that takes the turn writes the present time
// in its place, in one compare-and-set step, and again while its request is under way. So another instance acts only if the first one
// has been silent for `TURN_MS`.

/**
 * An instance that has taken a turn and is silent for so long has died. Two deaths after each other, of the owner and of the instance that
 * takes its turn, leave time for a third instance: all happens within `LATE_MS`.
 */
export const TURN_MS = 400
/** How often an instance renews its turn while a request is under way. */
export const RENEW_TURN_MS = 150
/** The clicker sees a failure 3 s after the click (§3), 1 s after the acknowledgement is due. */
export const LATE_MS = 1000

/** A click of a partition that this instance owns. */
export interface TrackedClick {
  /** Its time in `acks`, as this instance knows it. */
  turnAtMs: number
  /** `answering`: a request of its handler is under way. `acking`: our acknowledgement is. */
  phase: 'waiting' | 'answering' | 'acking'
}

/** When an owner looks at a click again; undefined: never, because other instances have taken its turn already. */
export function firstTurn(turnAtMs: number, nowMs: number): TrackedClick | undefined {
  return turnAtMs + TURN_MS <= nowMs ? undefined : { turnAtMs, phase: 'waiting' }
}

/** The owner's action when a click's turn comes. The turn is taken in both cases; other instances then leave the click alone. */
export const actionAtTurn = ({ phase }: TrackedClick): 'acknowledge' | 'keep' =>
  phase === 'waiting' ? 'acknowledge' : 'keep'

/** The owner's action when its handler's answer fails: once the turn has come, it acknowledges the click itself. */
export const afterFailedAnswer = (turnAtMs: number, nowMs: number): 'acknowledge' | 'wait' =>
  turnAtMs <= nowMs ? 'acknowledge' : 'wait'

/** When any instance may take the turn of an owner that is silent. */
export const sweepAtMs = (turnAtMs: number): number => turnAtMs + TURN_MS

/** Whether a click's time came while no instance ran: its clicker saw it fail. `sinceMs`: when this instance joined. */
export const sawFailure = (turnAtMs: number, sinceMs: number): boolean => turnAtMs + LATE_MS < sinceMs

/** After so long the instances give up: the clicker saw the failure long ago. */
export const GIVE_UP_MS = 5000

/** Whether an acknowledgement may still leave: the turn was taken so recently that no other instance can have taken it since. */
export const mayLeave = (takenAtMs: number, nowMs: number): boolean => nowMs - takenAtMs < TURN_MS

/** Whether no instance acknowledges the click any longer. `sinceMs`: when this instance joined. */
export const isOver = (turnAtMs: number, sinceMs: number, nowMs: number): boolean =>
  sawFailure(turnAtMs, sinceMs) || turnAtMs + GIVE_UP_MS < nowMs
