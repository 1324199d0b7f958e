import { task } from '@botwright/framework'

export default task({
  cron: '0 9 * * *',
  run: (ctx) => ctx.log.info({}, 'good morning'),
})
