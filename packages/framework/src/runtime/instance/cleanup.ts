import type { Log } from '../../author/ports.ts'

type Release = () => unknown

/** Releases the resources that startup opened. Node 20 has no `AsyncDisposableStack`. */
export class Cleanup {
  readonly #log: Log
  readonly #releases: Release[] = []

  constructor(log: Log) {
    this.#log = log
  }

  /** Adds a function that runs before all that were added earlier. */
  add(release: Release): void {
    this.#releases.push(release)
  }

  /** Adds a function that runs after all others. */
  addLast(release: Release): void {
    this.#releases.unshift(release)
  }

  /** Releases everything once, in reverse order. A failure is logged and does not prevent the other releases. */
  async run(): Promise<void> {
    for (const release of this.#releases.splice(0).reverse())
      try {
        await release()
      } catch (error) {
        this.#log.error({ err: error }, 'a part of the bot failed to close; the other parts are still closed')
      }
  }
}
