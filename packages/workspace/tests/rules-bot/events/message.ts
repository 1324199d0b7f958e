import { event, from, not, serverOnly } from '@botwright/framework'
import links from '../lib/rules/links.ts'
import newcomers from '../lib/rules/newcomers.ts'

/** The first rule that a message breaks decides. */
const rules = [newcomers, links]

export default event('message', {
  when: [serverOnly(), not(from('Staff'))],
  run: async (ctx) => {
    for (const rule of rules) {
      const reason = await rule(ctx)
      if (reason === undefined) continue
      await ctx.delete(ctx.event)
      // A reply would refer to the deleted message.
      await ctx.send(ctx.event.channel_id, `<@${ctx.user.id}>, ${reason}.`)
      return
    }
  },
})
