import { command, hasPermission, serverOnly } from '@botwright/framework'
import rules from '../state/rules.ts'

export default command({
  description: 'Posts the rules',
  guards: [serverOnly(), hasPermission('Manage channels')],
  run: async (ctx) => {
    const message = await ctx.reply('1. Be kind.\n2. Stay on topic.\nReact with ✅ to agree.')
    await rules.of(ctx).set({ message_id: message.id })
    await ctx.api.reactions.add({ channel_id: message.channel_id, message_id: message.id, emoji: '✅' })
  },
})
