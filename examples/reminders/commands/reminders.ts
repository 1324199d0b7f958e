import { command } from '@botwright/framework'
import { dueText } from '../lib/reminder.ts'
import reminder from '../tasks/reminder.ts'

/** A message has at most 2,000 characters. */
const MOST_LINES = 20
const MOST_CHARACTERS = 95

export default command({
  description: 'Lists your reminders',
  run: async (ctx) => {
    const yours = (await reminder.scheduled(ctx)).filter(({ payload }) => payload.user_id === ctx.user.id)
    if (yours.length === 0) return 'You have no reminders.'
    const lines = yours.map((one, i) => `${i + 1}. ${dueText(one, ctx.clock.now())}`.slice(0, MOST_CHARACTERS))
    return lines.slice(0, MOST_LINES).join('\n')
  },
})
