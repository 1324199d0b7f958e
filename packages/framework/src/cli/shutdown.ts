import { exitCodeOfSignal } from './exit-codes.ts'
import { systemClock } from '@botwright/clock'

/**
 * Windows has no SIGTERM between processes. A closed window, a shutdown of the machine (SIGHUP) and Ctrl-Break ask there, and
 * Windows ends the process about 10 s after a SIGHUP. Elsewhere SIGHUP is left alone, as `nohup` ignores it.
 */
const signals = (): NodeJS.Signals[] => [
  ...(['SIGTERM', 'SIGINT'] as const),
  ...(process.platform === 'win32' ? (['SIGHUP', 'SIGBREAK'] as const) : []),
]

/** Turns the first such signal into an aborted `signal`; a second one ends the process at once (130 for SIGINT, 143 for SIGTERM). */
export class Shutdown implements Disposable {
  /** The first of them. */
  by: NodeJS.Signals | undefined
  readonly #abort = new AbortController()

  readonly #signals = signals()

  constructor() {
    for (const name of this.#signals) process.on(name, this.#handle)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  readonly #handle = (signal: NodeJS.Signals): void => {
    if (this.signal.aborted) process.exit(exitCodeOfSignal(signal))
    this.by = signal
    this.#abort.abort(new Error(`stopped by ${signal}`))
  };

  [Symbol.dispose](): void {
    for (const name of this.#signals) process.off(name, this.#handle)
  }
}

const EVERY_MS = 1000

/**
 * `npx` and `npm run` pass a SIGTERM on to their shell, which dies of it without telling what it runs: that would live on alone, with its
 * port and the bot's lock. So whoever was started by such a runner ends as by SIGTERM when that has gone. Where nobody started it so, or
 * its starter is gone already (`nohup … &`), it is meant to live by itself.
 */
export function endWithRunner(env: NodeJS.ProcessEnv = process.env): void {
  const runner = process.ppid
  if (env['npm_execpath'] === undefined || runner <= 1) return
  const look = (): void => {
    if (process.ppid !== runner) process.kill(process.pid, 'SIGTERM')
    else systemClock.after(EVERY_MS, look)
  }
  systemClock.after(EVERY_MS, look)
}
