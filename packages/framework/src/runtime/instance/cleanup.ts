import type { Log } from '../../author/ports.ts'

type Release = () => unknown

/** Collects how to release what a start has opened. Node 20 has no `AsyncDisposableStack`. */
export class Cleanup {
  readonly #log: Log
  readonly #releases: Release[] = []

  constructor(log: Log) {
    this.#log = log
  }

  /** Releases this before everything that was added earlier. */
  add(release: Release): void {
    this.#releases.push(release)
  }

  /** Releases this after everything else. */
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
