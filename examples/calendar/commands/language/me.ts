import { command, oneOf } from '@botwright/framework'

export default command({
  description: 'Chooses your language',
  args: { language: oneOf('en', 'de') },
  run: async (ctx) => {
    await ctx.setLanguage(ctx.args.language)
    return ctx.t('language.me')
  },
})
