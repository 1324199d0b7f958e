/** A map that holds at most `most` entries: setting one more removes the entry that was set longest ago. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number
  /** Every entry before its position is removed. A new iterator would pass the places of removed entries again: up to half of the map. */
  readonly #oldest = this.keys()

  constructor(most: number) {
    super()
    this.#most = most
  }

  /** Sets an entry; a key that is set again counts as the newest. */
  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#most) this.delete(this.#oldest.next().value!)
    return this
  }
}
