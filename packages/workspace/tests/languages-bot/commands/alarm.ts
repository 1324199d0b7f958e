import { command, date, oneOf } from '@botwright/framework'
import zones from '../state/zones.ts'

export default command({
  description: 'Sets an alarm',
  args: {
    volume: oneOf('quiet', 'loud').describe('How loud it is'),
    when: date({ zone: (ctx) => zones.of(ctx).get(), when: 'future' }),
  },
  examples: ['loud tomorrow 8:00'],
  run: (ctx) => `${ctx.args.volume}, ${ctx.args.when.toISOString()}`,
})
