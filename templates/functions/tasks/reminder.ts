import { task } from '@botwright/framework'

/** Runs when a command schedules it. As functions, it runs with the next scheduled run after its time. */
export default task<{ channel_id: string; text: string }>({
  retry: true,
  run: (ctx) => ctx.send(ctx.payload.channel_id, `⏰ ${ctx.payload.text}`),
})
