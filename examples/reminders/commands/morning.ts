import { command, oneOf } from '@botwright/framework'
import morning from '../state/morning.ts'

export default command({
  description: 'Turns the morning greeting of this channel on or off',
  args: { wanted: oneOf('on', 'off') },
  run: async (ctx) => {
    const wanted = ctx.args.wanted === 'on'
    await morning.of(ctx).set(wanted)
    return wanted ? 'See you at nine.' : 'The morning greeting is off.'
  },
})
