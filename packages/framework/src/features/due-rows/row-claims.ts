import type { StateStore } from '../../author/ports.ts'
import type { Claims } from '../../link/claims.ts'
import type { DueRowRunner } from './due-row-runner.ts'

/** A stored row that is marked before it begins. */
interface Claimed {
  state: string
  /** In a cluster, the instance that has marked it. */
  machine?: string | undefined
}

interface Row {
  key: string
  value: Claimed
  version: number
}

type Host = { store: StateStore; claims?: Claims | undefined }
type Rows = Pick<DueRowRunner<{ key: string }>, 'claim' | 'mayBeOwn'>

/** Marks rows of a store before they begin, so that neither another instance nor a restart begins them again. */
export class RowClaims {
  readonly #host: Host
  readonly #rows: Rows

  constructor(host: Host, rows: Rows) {
    this.#host = host
    this.#rows = rows
  }

  /** Whether the instance that has marked a row works on it. A single instance finds only those that a former process has left. */
  async isActive(key: string, { machine }: Pick<Claimed, 'machine'>): Promise<boolean> {
    return (await this.#host.claims?.isActive(machine, key)) ?? false
  }

  /** Whether this process has marked the row, with a write that seemed to fail. */
  isOwn(key: string, { state, machine }: Claimed): boolean {
    return state === 'running' && machine === this.#host.claims?.id && this.#rows.mayBeOwn(key)
  }

  /** Stores `running` for a row of this version. Undefined if the row has changed, or no row may begin any more. */
  async claim<T extends Claimed>({ key, value, version }: Row, running: T): Promise<T | undefined> {
    const { store, claims } = this.#host
    const claim = { ...running, ...(claims && { machine: claims.id }) }
    const undo = this.isOwn(key, value) ? undefined : () => this.#undo(key, value)
    const isClaimed = await this.#rows.claim(key, () => store.set(key, claim, { expected: version }), undo)
    return isClaimed ? claim : undefined
  }

  /** Lets another process claim a row, after a claim whose write has failed. */
  async #undo(key: string, former: Claimed): Promise<void> {
    const { store, claims } = this.#host
    const found = await store.get(key)
    const { state, machine } = (found?.value ?? {}) as Partial<Claimed>
    const isOwn = state === 'running' && machine === claims?.id
    // A further term of this instance may have made the same claim.
    if (isOwn && !(await claims?.isActive(machine, key))) await store.set(key, former, { expected: found!.version })
  }
}
