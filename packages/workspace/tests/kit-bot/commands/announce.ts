import { command } from '@botwright/framework'

export default command({
  description: 'Tells everybody, once',
  async run(ctx) {
    await ctx.once('announce', () => ctx.send(ctx.channel_id, 'Fresh bread!'))
  },
})
