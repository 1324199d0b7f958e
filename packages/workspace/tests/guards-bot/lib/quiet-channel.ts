import { guard } from '@botwright/framework'

/** A custom guard. */
export const notInRandom = guard({
  describe: 'only outside of #random',
  check: (ctx) => ctx.event['channel_name'] !== 'random',
  refusal: (ctx) => `Not here, ${ctx.user.name}.`,
})
