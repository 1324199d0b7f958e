import { command, cooldown, rest } from '@botwright/framework'
import titles from '../state/titles.ts'

/** A title in the library. `check` can use the state, the service or anything else. */
const title = rest().check(
  async (title, ctx) => (await titles.of(ctx).get()).includes(title) || 'is not in the library; see /help borrow',
)

export default command({
  description: 'Borrows a book',
  args: { title },
  guards: [cooldown('1m')],
  run: (ctx) => `${ctx.user.name} has ${ctx.args.title}`,
})
