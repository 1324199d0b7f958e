import { Unfinished } from './event-queues.ts'

/** Runs that wait for something before they begin. */
export class EarlyRuns {
  /** How often all of them were given up. */
  givenUp = 0
  readonly #giveUps = new Set<(error: Unfinished) => void>()

  get size(): number {
    return this.#giveUps.size
  }

  /** Begins once `ready` resolves, which never rejects. Rejects with `Unfinished` if it is given up before. */
  after(ready: Promise<unknown>, begin: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#giveUps.add(reject)
      const go = () => {
        if (this.#giveUps.delete(reject)) resolve(begin())
      }
      ready.then(go).catch(reject)
    })
  }

  giveUp(): void {
    this.givenUp++
    for (const giveUp of this.#giveUps) giveUp(new Unfinished())
    this.#giveUps.clear()
  }
}
