import { command, cooldown, user } from '@botwright/framework'

export default command({
  description: 'Warns a user',
  args: { whom: user() },
  guards: [cooldown('1m', { per: 'channel', uses: 2, refusal: (_ctx, { left }) => `Enough for now. ${left} to go.` })],
  run: (ctx) => `<@${ctx.args.whom}>, be nice`,
})
