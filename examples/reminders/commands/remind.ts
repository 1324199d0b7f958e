import { command, date, durationText, oneOf, rest } from '@botwright/framework'
import reminder from '../tasks/reminder.ts'

export default command({
  description: 'Reminds you or this channel: /remind me in 2h to water the plants',
  args: { who: oneOf('me', 'here'), when: date({ when: 'future', zone: 'Europe/Berlin' }), what: rest({ max: 500 }) },
  run: async (ctx) => {
    const { who, when, what } = ctx.args
    await reminder.schedule(
      ctx,
      { at: when },
      {
        user_id: ctx.user.id,
        channel_id: who === 'here' ? ctx.channel_id : null,
        text: what.replace(/^to /, ''),
      },
    )
    return `I will remind ${who === 'me' ? 'you' : 'this channel'} in ${durationText(when.getTime() - ctx.clock.now())}.`
  },
})
