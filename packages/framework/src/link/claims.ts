/** Whose the records are that machines keep in the store that they share: a record of a machine that is gone is taken over. */
export interface Claims {
  /** This machine's name, written into what it begins. */
  readonly id: string
  /**
   * Whether what a record tells of still goes on, on the machine that it names. Asked after the record was read: a machine that has come
   * since then is known. With a key what this machine has not noted as begun was interrupted, though it bears its name.
   */
  holds(machine: string | undefined, key?: string): Promise<boolean>
  /** Something of this machine begins, or ends. */
  begin(key: string): void
  end(key: string): void
}
