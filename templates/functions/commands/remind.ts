import { command, duration, durationText, rest } from '@botwright/framework'
import reminder from '../tasks/reminder.ts'

export default command({
  description: 'Posts a reminder here later',
  args: { in: duration({ min: '1s', max: '30d' }), what: rest({ max: 500 }) },
  examples: ['2h water the plants'],
  run: async (ctx) => {
    await reminder.schedule(ctx, { in: ctx.args.in }, { channel_id: ctx.channel_id, text: ctx.args.what })
    return `I will remind you in ${durationText(ctx.args.in)}.`
  },
})
