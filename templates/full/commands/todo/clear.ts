import { command, hasPermission } from '@botwright/framework'
import todos from '../../state/todos.ts'

export default command({
  description: 'Forgets everything that is to be done in this channel',
  guards: [hasPermission('Manage messages')],
  run: async (ctx) => {
    const { open } = await todos.of(ctx).get()
    if (open.length === 0) return 'Nothing is left to do.'
    const answer = await ctx.choose(`Shall I forget all ${String(open.length)}?`, ['Yes', 'No'], { timeout: '1m' })
    if (answer === 'No') return 'I keep them.'
    await todos.of(ctx).delete()
    return 'Forgotten.'
  },
})
