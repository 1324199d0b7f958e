import { command, cooldown, oneOf, serverOnly } from '@botwright/framework'

export default command({
  description: 'Buys something',
  args: { what: oneOf('tea', 'bread') },
  guards: [cooldown('1h'), serverOnly()],
  async run(ctx) {
    if (ctx.args.what === 'tea') return `${ctx.user.name} has tea`
    // Nothing was bought, so this use does not count.
    await ctx.cooldown.refund()
    return 'The bread is sold out.'
  },
})
