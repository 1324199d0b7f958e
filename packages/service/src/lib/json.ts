/** A value that is already JSON, so that a response can contain it as it is. */
export class Json<T> {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): T {
    return JSON.parse(this.text) as T
  }
}
