// What the framework itself uses of a context, under symbols: neither `ctx` nor an editor shows them to authors.

/** What a context stands in. Shared by every copy of this package in one process: a guard of a plugin may come from another copy. */
export const around: unique symbol = Symbol.for('botwright.context.around') as never

/** What this run is about: the same text when it runs again. */
export const occasion: unique symbol = Symbol('occasion')

/** Whom this run is about. */
export const owner: unique symbol = Symbol('owner')

/** Something is about to be posted into a channel. */
export const answering: unique symbol = Symbol('answering')

/** Which message a reply answers. */
export const replyTo: unique symbol = Symbol('replyTo')
