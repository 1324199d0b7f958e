import { command, rest } from '@botwright/framework'

export default command({
  description: 'Asks a question',
  args: { text: rest() },
  run: async (ctx) => {
    const answer = await ctx.ask(`question ${ctx.args.text}?`, { timeout: '1m' })
    return `question ${ctx.args.text} has the answer ${answer}`
  },
})
