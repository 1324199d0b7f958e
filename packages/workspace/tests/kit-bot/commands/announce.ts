import { command } from '@botwright/framework'

export default command({
  description: 'Posts an announcement once',
  async run(ctx) {
    await ctx.once('announce', () => ctx.send(ctx.channel_id, 'Fresh bread!'))
  },
})
