import { task } from '@botwright/framework'

export default task({
  every: '2m',
  run: (ctx) => {
    ctx.log.info({ tick: ctx.scheduledAt.toISOString(), again: ctx.redelivered }, 'tick')
  },
})
