import type { AnyContext } from '@botwright/framework'
import todos from '../state/todos.ts'

/** Notes something for the channel of an event. Two people may do so at once: `update` loses neither. */
export async function note(ctx: AnyContext, text: string): Promise<void> {
  await todos.of(ctx).update(({ last, open }) => ({ last: last + 1, open: [...open, { id: last + 1, text }] }))
}
