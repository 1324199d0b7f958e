import type { Claims } from '../../link/claims.ts'
import type { ClusterMember } from '../../runtime/ports/cluster.ts'

/** Decides whether records of this instance and of others are still active. */
export class ClusterClaims implements Claims {
  readonly #member: ClusterMember
  /** Records that this instance has begun since it last lost its lease. */
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

  /** The lease was lost: nothing that was begun continues. */
  lost(): void {
    this.#begun.clear()
  }
}
