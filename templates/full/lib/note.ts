import type { AnyContext } from '@botwright/framework'
import todos from '../state/todos.ts'

/** Adds a to-do to the channel of an event. `update` is atomic: if two people add one at once, both are kept. */
export async function note(ctx: AnyContext, text: string): Promise<void> {
  await todos.of(ctx).update(({ last, open }) => ({ last: last + 1, open: [...open, { id: last + 1, text }] }))
}
