import { command } from '@botwright/framework'

export default command({
  description: 'Names your language',
  run: (ctx) => ctx.language({ user_id: ctx.user.id.toUpperCase() }),
})
