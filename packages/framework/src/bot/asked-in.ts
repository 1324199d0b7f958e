import type { Context } from '../author/context.ts'

/** Of a handler whose person was asked elsewhere than where everything else is told: the channel in which the person waits. */
export const askedIn = new WeakMap<Context, string>()
