import { command } from '@botwright/framework'
import { listOf } from '../../buttons/done.ts'
import todos from '../../state/todos.ts'

export default command({
  description: 'Lists the to-dos of this channel',
  run: async (ctx) => listOf((await todos.of(ctx).get()).open),
})
