import { task } from '@botwright/framework'

/** Runs in each minute, also in those that the bot has missed, and on the days on which clocks change. */
export default task({
  cron: '* * * * *',
  timezone: 'Europe/Berlin',
  missed: 'all',
  run: (ctx) => ctx.log.info({ tick: ctx.scheduledAt }, 'tick'),
})
