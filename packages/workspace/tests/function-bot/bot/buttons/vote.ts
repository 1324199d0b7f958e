import { button, cooldown } from '@botwright/framework'

export default button({
  guards: [cooldown('1d')],
  run: (ctx) => ctx.update({ content: `${ctx.user.name} votes yes` }),
})
