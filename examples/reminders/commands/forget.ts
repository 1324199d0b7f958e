import { command, integer } from '@botwright/framework'
import reminder from '../tasks/reminder.ts'

export default command({
  description: 'Deletes a reminder by its number in /reminders',
  args: { number: integer({ min: 1 }) },
  run: async (ctx) => {
    const yours = (await reminder.scheduled(ctx)).filter(({ payload }) => payload.user_id === ctx.user.id)
    const one = yours[ctx.args.number - 1]
    if (!one || !(await ctx.unschedule(one.id))) return 'No reminder with that number. See /reminders.'
    return `Deleted: ${one.payload.text}`
  },
})
