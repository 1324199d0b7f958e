import { exitCodeOfSignal } from './exit-codes.ts'

/** Turns the first SIGTERM or SIGINT into an aborted `signal`; a second one ends the process at once (130 or 143). */
export class Shutdown implements Disposable {
  /** The first of them. */
  by: NodeJS.Signals | undefined
  readonly #abort = new AbortController()

  constructor() {
    process.on('SIGTERM', this.#handle)
    process.on('SIGINT', this.#handle)
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
    process.off('SIGTERM', this.#handle)
    process.off('SIGINT', this.#handle)
  }
}
