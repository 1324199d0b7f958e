import { command } from '@botwright/framework'

export default command({
  description: 'Replies with pong',
  run: (ctx) => `Pong, ${ctx.user.name}!`,
})
