import { button, integer, type Outgoing, row } from '@botwright/framework'
import todos, { type Todo } from '../state/todos.ts'

/** The button carries the id of its to-do, so clicks still work after a restart. */
const done = button({
  params: { id: integer({ min: 1, max: 1_000_000 }) },
  run: async (ctx) => {
    const { open } = await todos.of(ctx).update((before) => ({
      ...before,
      open: before.open.filter(({ id }) => id !== ctx.params.id),
    }))
    return ctx.update(listOf(open))
  },
})

/** The first nine to-dos, as a message has at most 2000 characters, with a button for each of the first five. */
export function listOf(open: readonly Todo[]): Exclude<Outgoing, string> {
  if (open.length === 0) return { content: 'Nothing left to do.', components: [] }
  const buttons = open.slice(0, 5).map(({ id }, i) => done.button({ id }, { label: `Done: ${String(i + 1)}` }))
  const lines = open.slice(0, 9).map(({ text }, i) => `${String(i + 1)}. ${text}`)
  if (open.length > 9) lines.push(`… and ${String(open.length - 9)} more`)
  return { content: lines.join('\n'), components: [row(...buttons)] }
}

export default done
