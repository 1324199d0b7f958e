import { command, hasPermission } from '@botwright/framework'
import todos from '../../state/todos.ts'

export default command({
  description: 'Deletes all to-dos of this channel',
  guards: [hasPermission('Manage messages')],
  run: async (ctx) => {
    const { open } = await todos.of(ctx).get()
    if (open.length === 0) return 'Nothing left to do.'
    const answer = await ctx.choose(`Delete all to-dos (${String(open.length)})?`, ['Yes', 'No'], { timeout: '1m' })
    if (answer === 'No') return 'Nothing was deleted.'
    await todos.of(ctx).delete()
    return 'Deleted.'
  },
})
