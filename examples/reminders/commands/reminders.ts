import { command } from '@botwright/framework'
import { dueText } from '../lib/reminder.ts'
import reminder from '../tasks/reminder.ts'

export default command({
  description: 'Lists your reminders',
  run: async (ctx) => {
    const yours = (await reminder.scheduled(ctx)).filter(({ payload }) => payload.user_id === ctx.user.id)
    if (yours.length === 0) return 'You have no reminders.'
    return yours.map((one, i) => `${i + 1}. ${dueText(one, ctx.clock.now())}`).join('\n')
  },
})
