import { setMaxListeners } from 'node:events'

/** The end of a client. Functions create a client for each event, and its calls rarely wait: the first that does creates the signal. */
export class Closing {
  #abort: AbortController | undefined
  #hasBegun = false

  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal
    this.#abort = new AbortController()
    // Any number of calls may wait.
    setMaxListeners(0, this.#abort.signal)
    if (this.#hasBegun) this.#abort.abort()
    return this.#abort.signal
  }

  begin(): void {
    this.#hasBegun = true
    this.#abort?.abort()
  }
}
