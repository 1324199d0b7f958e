import type { Claims } from '../../link/claims.ts'
import type { ClusterMember } from '../ports/cluster.ts'

/** What the records of this instance and of the others are worth. */
export class ClusterClaims implements Claims {
  readonly #member: ClusterMember
  /** What this instance has begun since its lease was last lost. */
  readonly #begun = new Set<string>()

  constructor(member: ClusterMember) {
    this.#member = member
  }

  get id(): string {
    return this.#member.id
  }

  async isActive(member: string | undefined, key?: string): Promise<boolean> {
    if (member === undefined) return false
    if (member === this.id) return key === undefined || this.#begun.has(key)
    return (await this.#member.living()).has(member)
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
