import { command, oneOf } from '@botwright/framework'

export default command({
  description: 'Chooses the language of you or of the server',
  args: { language: oneOf('en', 'de'), of: oneOf('user', 'server').default('user') },
  run: async (ctx) => {
    await ctx.setLanguage(ctx.args.language, ctx.args.of)
    return 'ok'
  },
})
