import { button, oneOf } from '@botwright/framework'

export default button({
  params: { how: oneOf('reply', 'update', 'late', 'silent') },
  run: async (ctx) => {
    const { how } = ctx.params
    const id = ctx.event.id.slice(0, 8)
    if (how === 'reply') await ctx.reply(`voted ${id}`)
    if (how === 'update') await ctx.update(`updated ${id}`)
    if (how === 'late') {
      await new Promise((resolve) => setTimeout(resolve, 4000))
      await ctx.reply(`voted late ${id}`)
    }
  },
})
