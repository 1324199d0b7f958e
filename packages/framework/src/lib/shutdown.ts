/** Turns the first SIGTERM or SIGINT into an aborted `signal`; a second one ends the process at once with code 1. */
export class Shutdown implements Disposable {
  readonly #abort = new AbortController()

  constructor() {
    process.on('SIGTERM', this.#handle)
    process.on('SIGINT', this.#handle)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  readonly #handle = (signal: NodeJS.Signals): void => {
    if (this.signal.aborted) process.exit(1)
    this.#abort.abort(new Error(`stopped by ${signal}`))
  };

  [Symbol.dispose](): void {
    process.off('SIGTERM', this.#handle)
    process.off('SIGINT', this.#handle)
  }
}
