/** Marks the results of `command()`, `button()`, `event()` and the others. Shared by every copy of this package in one process. */
export const definedAs: unique symbol = Symbol.for('botwright.definedAs') as never

/** The field in which the loader stores a button's location, which only the name of its file contains. */
export const place: unique symbol = Symbol.for('botwright.place') as never
