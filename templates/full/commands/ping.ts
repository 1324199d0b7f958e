import { command } from '@botwright/framework'

export default command({
  description: 'Answers with pong',
  run: (ctx) => `Pong, ${ctx.user.name}!`,
})
