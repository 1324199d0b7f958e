import { command, user } from '@botwright/framework'

export default command({
  description: 'Greets a person directly',
  args: { whom: user() },
  run: async (ctx) => {
    const user_id = ctx.args.whom
    const language = await ctx.language({ user_id })
    await ctx.dm(user_id, { content: ctx.t.in(language, 'morning') })
  },
})
