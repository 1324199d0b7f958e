import { constants } from 'node:os'
import { codeOf } from '../author/error-code.ts'
import { isPortTaken } from '../runtime/port-refused.ts'

/**
 * How `framework start` and `framework cluster` end, in the numbers of sysexits.h: what a process manager needs to know is whether another start can help.
 * docs/production.md holds the same table.
 */
export const exitCodes = {
  stopped: 0,
  /** An error that nobody expected: start again. */
  failed: 1,
  /** EX_UNAVAILABLE, of `framework cluster status` alone: no machine leads, so no event is fetched. */
  nobodyLeads: 69,
  /** EX_TEMPFAIL: another process runs the bot or holds one of its ports; later it may not. */
  alreadyRunning: 75,
  /** EX_NOPERM: the token is refused; no start helps until it is replaced. */
  unauthorized: 77,
  /** EX_CONFIG: the configuration, the environment or the bot's files are wrong; no start helps until they are mended. */
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

/** As shells count a process that a signal has ended: 130 for SIGINT, 143 for SIGTERM. */
export const exitCodeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]
