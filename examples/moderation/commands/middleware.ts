import { BotwrightError, hasRole, middleware, serverOnly } from '@botwright/framework'

/** Applies to every command: only moderators may use them, and not against members whom the bot may not time out. */
export default middleware({
  guards: [serverOnly(), hasRole('mods')],
  run: async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof BotwrightError) || error.code !== 'ERR_FORBIDDEN') throw error
      await ctx.reply('I may not do that: the member owns this server, or I lack a role with the permission.')
    }
  },
})
