import { exitCodeOfSignal, secondSignals } from '../program/exit-codes.ts'
import type { ProgramIo } from '../program/program-io.ts'
import { systemClock } from '@botwright/clock'

/**
 * Windows has no SIGTERM between processes. Closing the window or shutting down sends SIGHUP, Ctrl-Break sends SIGBREAK, and Windows
 * ends the process about 10 s after a SIGHUP. Other systems keep the default for SIGHUP, which `nohup` ignores.
 */
const signals = (): NodeJS.Signals[] => [
  ...(['SIGTERM', 'SIGINT'] as const),
  ...(process.platform === 'win32' ? (['SIGHUP', 'SIGBREAK'] as const) : []),
]

/** Aborts `signal` at the first of these signals. At a second one, the program has to end at once. */
export class Shutdown implements Disposable {
  /** The first signal. */
  by: NodeJS.Signals | undefined
  /** Resolves at a second signal, with the exit code for it: 130 for SIGINT, 143 for SIGTERM. */
  readonly second: Promise<number>
  #resolveSecond!: (code: number) => void
  readonly #abort = new AbortController()
  readonly #signals: ProgramIo['signals']
  readonly #names = signals()
  readonly #isSecond = secondSignals()

  constructor(from: ProgramIo['signals']) {
    this.second = new Promise((resolve) => (this.#resolveSecond = resolve))
    this.#signals = from
    for (const name of this.#names) from.on(name, this.#handle)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  readonly #handle = (signal: NodeJS.Signals): void => {
    if (this.#isSecond()) return this.#resolveSecond(exitCodeOfSignal(signal))
    this.by ??= signal
    this.#abort.abort(new Error(`stopped by ${signal}`))
  };

  [Symbol.dispose](): void {
    for (const name of this.#names) this.#signals.off(name, this.#handle)
  }
}

const CHECK_EVERY_MS = 1000

/**
 * Ends a process that npm started when its parent is gone. `npx` and `npm run` forward SIGTERM only to their shell, which exits without
 * forwarding it, so the bot would keep running with its port and lock. A process without such a parent (`nohup … &`) keeps running.
 */
export function endWithRunner(env: NodeJS.ProcessEnv): void {
  const runner = process.ppid
  if (env['npm_execpath'] === undefined || runner <= 1) return
  const check = (): void => {
    if (process.ppid !== runner) process.kill(process.pid, 'SIGTERM')
    else systemClock.after(CHECK_EVERY_MS, check)
  }
  systemClock.after(CHECK_EVERY_MS, check)
}
