import { constants } from 'node:os'
import { systemClock } from '@botwright/clock'
import { codeOf } from '../author/error-code.ts'
import { isPortTaken } from '../runtime/port-refused.ts'

/**
 * The exit codes of `framework start`, `framework cluster`, `framework runs` and `framework off`, from sysexits.h: they show a process manager whether a restart can help.
 * docs/production.md contains the same table.
 */
export const exitCodes = {
  stopped: 0,
  /** An unexpected error: restart. */
  failed: 1,
  /** EX_UNAVAILABLE, of `framework cluster status` alone: there is no leader, so no events are polled. */
  nobodyLeads: 69,
  /** EX_TEMPFAIL: another process runs the bot or uses one of its ports; it may end later. */
  alreadyRunning: 75,
  /** EX_NOPERM: the token is rejected; no restart helps until it is replaced. */
  unauthorized: 77,
  /** EX_CONFIG: the configuration, the environment or the bot's files are invalid; no restart helps until they are fixed. */
  config: 78,
} as const

/** The exit code of an error that ended the start. */
export function exitCodeOf(error: unknown): number {
  if (isPortTaken(error)) return exitCodes.alreadyRunning
  switch (codeOf(error)) {
    case 'ERR_ALREADY_RUNNING':
      return exitCodes.alreadyRunning
    case 'ERR_UNAUTHORIZED':
      return exitCodes.unauthorized
    case 'ERR_CONFIG':
    case 'ERR_CONFLICT':
    case 'ERR_DEFINITION':
    case 'ERR_CUSTOM_ID':
      return exitCodes.config
    default:
      return exitCodes.failed
  }
}

/** The shell's convention for a process ended by a signal: 130 for SIGINT, 143 for SIGTERM. */
export const exitCodeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** `npm run` forwards a Ctrl-C that the terminal has already sent to the program. */
const FORWARDED_MS = 500

/** Returns a function to call with each signal: whether it comes so long after the first one that the user wants the program to end at once. */
export function secondSignals(): () => boolean {
  let firstMs: number | undefined
  return () => systemClock.monotonic() - (firstMs ??= systemClock.monotonic()) > FORWARDED_MS
}
