import { button, oneOf, text } from '@botwright/framework'

export default button({
  params: { how: oneOf('reply', 'update', 'ephemeral', 'late', 'silent', 'gone'), text: text({ max: 20 }) },
  run: async (ctx) => {
    const { how, text } = ctx.params
    const id = `${text} ${ctx.event.id.slice(0, 8)}`
    if (how === 'reply') await ctx.reply(`voted ${id}`)
    if (how === 'update') await ctx.update(`updated ${id}`)
    if (how === 'ephemeral') await ctx.ephemeral(`seen ${id}`)
    // The service refuses this answer.
    if (how === 'gone') {
      await ctx.delete({ channel_id: ctx.channel_id, id: ctx.event.message_id }).catch(() => {})
      await ctx.update(`gone ${id}`).catch(() => {})
    }
    if (how === 'late') {
      await new Promise((resolve) => setTimeout(resolve, 4000))
      await ctx.reply(`voted late ${id}`)
    }
  },
})
