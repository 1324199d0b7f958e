/** Ownership of records in the store that the instances of a cluster share. The records of an instance that is gone are taken over. */
export interface Claims {
  /** The name of this instance, stored in the records of its own runs. */
  readonly id: string
  /**
   * Whether the run behind a record is still active on the instance that the record names. Call it after reading the record, so that an
   * instance that joined in between is included. With `key`, a run of this instance counts only if this process began it.
   */
  isActive(machine: string | undefined, key?: string): Promise<boolean>
  /** Resolves when runs may begin; while it rejects, none is claimed. Left out: at any time. */
  opens?(): Promise<unknown>
  /** A run of this instance begins or ends. */
  begin(key: string): void
  end(key: string): void
}
