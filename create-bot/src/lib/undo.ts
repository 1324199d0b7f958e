/**
 * What was written so far, and how to take it back, last thing first. Everything here is synchronous: it also runs while the process
 * exits, whoever ended it.
 */
export class Undo {
  readonly #steps: (() => void)[] = []

  /** Gives a function that forgets this step. */
  add(step: () => void): () => void {
    this.#steps.push(step)
    return () => {
      const at = this.#steps.indexOf(step)
      if (at >= 0) this.#steps.splice(at, 1)
    }
  }

  /** From here on everything stays. */
  keep(): void {
    this.#steps.length = 0
  }

  run(): void {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        step()
      } catch {
        // The other steps are worth a try all the same.
      }
    }
  }
}
