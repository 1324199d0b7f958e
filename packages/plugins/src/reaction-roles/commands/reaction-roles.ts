import { botHasPermission, command, hasPermission, serverOnly, text } from '@botwright/framework'
import { sameName } from '../../lib/same-name.ts'
import { textOf } from '../lib/text-of.ts'
import { forPerson } from '../lib/texts.ts'
import reactionRoles from '../plugin.ts'
import messages from '../state/messages.ts'

export default command({
  description: 'Posts a message that gives roles for reactions',
  args: { name: text({ max: 32 }).optional().describe('Which message; not needed if there is only one') },
  guards: [serverOnly(), hasPermission('Manage roles'), botHasPermission('Manage roles')],
  run: async (ctx) => {
    const all = reactionRoles.options(ctx).messages
    const names = Object.keys(all)
    const name = ctx.args.name ?? (names.length === 1 ? names[0]! : '')
    const say = await forPerson(ctx)
    const message = Object.hasOwn(all, name) ? all[name] : undefined
    if (!message) return say('which', { name, names: names.join(', ') })
    const { roles } = await ctx.api.servers.roles({ server_id: ctx.server_id })
    for (const role of Object.values(message.roles)) {
      const found = roles.filter((one) => sameName(one.name, role))
      if (found.length !== 1) return say(found.length === 0 ? 'no_role' : 'several', { role })
    }
    const posted = await ctx.reply(textOf(message))
    await messages.at(ctx, posted.id).set(name)
    const { channel_id, id: message_id } = posted
    for (const emoji of Object.keys(message.roles)) await ctx.api.reactions.add({ channel_id, message_id, emoji })
    return undefined
  },
})
