import { command, cooldown, rest } from '@botwright/framework'

export default command({
  description: 'Answers once in a while',
  args: { text: rest() },
  guards: [cooldown('30s')],
  run: (ctx) => `calm ${ctx.args.text} for ${ctx.user.id}`,
})
