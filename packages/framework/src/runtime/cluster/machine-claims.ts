import type { Claims } from '../../link/claims.ts'
import type { Machine } from '../ports/cluster.ts'

/** What the records of this instance and of the others are worth. */
export class MachineClaims implements Claims {
  readonly #machine: Machine
  /** What this instance has begun since its lease was last lost. */
  readonly #begun = new Set<string>()

  constructor(machine: Machine) {
    this.#machine = machine
  }

  get id(): string {
    return this.#machine.id
  }

  async isActive(machine: string | undefined, key?: string): Promise<boolean> {
    if (machine === undefined) return false
    if (machine === this.id) return key === undefined || this.#begun.has(key)
    return (await this.#machine.living()).has(machine)
  }

  begin(key: string): void {
    this.#begun.add(key)
  }

  end(key: string): void {
    this.#begun.delete(key)
  }

  /** The lease was lost: nothing that was begun goes on. */
  lost(): void {
    this.#begun.clear()
  }
}
