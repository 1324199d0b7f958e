import { command, rest } from '@botwright/framework'
import { namesBook, owesNothing } from '../lib/pays.ts'
import fines from '../state/fines.ts'

export default command({
  description: 'Borrows a book',
  args: { title: rest() },
  guards: [owesNothing, namesBook],
  run: async (ctx) => {
    await fines.of(ctx).set(3)
    return `${ctx.user.name} has ${ctx.args.title}`
  },
})
