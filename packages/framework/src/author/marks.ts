/** Marks what `command()`, `button()`, `event()` and the others give. Shared by every copy of this package in one process. */
export const definedAs: unique symbol = Symbol.for('botwright.definedAs') as never

/** Where the loader writes a button's place, which only the file's name tells. */
export const place: unique symbol = Symbol.for('botwright.place') as never
