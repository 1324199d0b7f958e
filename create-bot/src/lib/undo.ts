/**
 * The steps that remove everything written so far, in reverse order. They are synchronous, because they also run while the process
 * exits.
 */
export class Undo {
  readonly #steps: (() => void)[] = []

  /** Returns a function that removes this step. */
  add(step: () => void): () => void {
    this.#steps.push(step)
    return () => {
      const at = this.#steps.indexOf(step)
      if (at >= 0) this.#steps.splice(at, 1)
    }
  }

  /** Keeps everything written so far. */
  keep(): void {
    this.#steps.length = 0
  }

  run(): void {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        step()
      } catch {
        // Run the other steps even if one fails.
      }
    }
  }
}
