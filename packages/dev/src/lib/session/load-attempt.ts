/** How long a load may take before newer saves cancel it: most end sooner than a new thread would start. */
const uncancelledMs = 400

/** One attempt to load a bot. A newer save cancels it if it is stuck: in an endless loop, or waiting for an unavailable service. */
export class LoadAttempt {
  readonly #asking = new AbortController()
  readonly #loading = new AbortController()
  #sinceMs = performance.now()
  #asked = false
  #timer: NodeJS.Timeout | undefined

  /** Cancels the steps before the code is loaded. */
  get asking(): AbortSignal {
    return this.#asking.signal
  }

  /** Cancels the loading of code. */
  get loading(): AbortSignal {
    return this.#loading.signal
  }

  get givenUp(): boolean {
    return this.loading.aborted
  }

  /** The bot is known: from here on the code loads. */
  load(): void {
    this.#asked = true
    this.#sinceMs = performance.now()
  }

  /** A newer save is waiting. */
  cancelIfStuck(): void {
    if (this.#timer || this.givenUp) return
    const leftMs = this.#sinceMs + uncancelledMs - performance.now()
    this.#timer = setTimeout(() => this.giveUp('replaced by a newer save'), Math.max(0, leftMs))
  }

  /** The attempt is over: nothing is cancelled from now on. */
  end(): void {
    clearTimeout(this.#timer)
  }

  /** Cancels everything that this attempt waits for. */
  giveUp(why: string): void {
    const reason = new Error(why)
    this.#loading.abort(reason)
    // A running bot keeps this signal: it must not fire once the bot is known.
    if (!this.#asked) this.#asking.abort(reason)
  }
}
