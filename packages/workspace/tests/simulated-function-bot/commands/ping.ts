import { command, rest } from '@botwright/framework'

export default command({
  description: 'Answers at once',
  args: { text: rest() },
  run: (ctx) => `pong ${ctx.args.text}`,
})
