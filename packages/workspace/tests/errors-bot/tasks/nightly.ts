import { task } from '@botwright/framework'

export default task({
  cron: '0 3 * * *',
  run() {
    throw new Error('no disk left')
  },
})
