import { command, hasPermission, oneOf } from '@botwright/framework'

export default command({
  description: 'Chooses the language of this server',
  args: { language: oneOf('en', 'de') },
  guards: [hasPermission('Manage server')],
  run: async (ctx) => {
    await ctx.setLanguage(ctx.args.language, 'server')
    return ctx.t.in(ctx.args.language, 'language.server')
  },
})
