import { task } from '@botwright/framework'
import { dueText } from '../lib/reminder.ts'
import morning from '../state/morning.ts'
import reminder from './reminder.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export default task({
  cron: '0 9 * * *',
  timezone: 'Europe/Berlin',
  run: async (ctx) => {
    const nowMs = ctx.clock.now()
    const today = (await reminder.scheduled(ctx)).filter(({ at }) => at.getTime() < nowMs + DAY_MS)
    for (const { owner, value: wanted } of await morning.list(ctx, { limit: 10_000 })) {
      if (!wanted) continue
      const here = today.filter(({ payload }) => payload.channel_id === owner.channel_id)
      const lines = here.map((one) => `- ${dueText(one, nowMs)}`)
      await ctx.send(owner.channel_id, ['Good morning!', ...lines].join('\n'))
    }
  },
})
