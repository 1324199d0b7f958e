import { task } from '@botwright/framework'

/** Runs when a command schedules it: `reminder.schedule(ctx, when, payload)`. */
export default task<{ user_id: string; text: string }>({
  retry: true,
  run: (ctx) => ctx.dm(ctx.payload.user_id, `⏰ ${ctx.payload.text}`),
})
