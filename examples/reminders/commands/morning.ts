import { command, oneOf } from '@botwright/framework'
import morning from '../state/morning.ts'

export default command({
  description: 'Greets this channel every morning, or no longer',
  args: { wanted: oneOf('on', 'off') },
  run: async (ctx) => {
    const wanted = ctx.args.wanted === 'on'
    await morning.of(ctx).set(wanted)
    return wanted ? 'See you at nine.' : 'I will be quiet in the mornings.'
  },
})
