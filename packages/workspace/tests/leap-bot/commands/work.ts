import { setTimeout } from 'node:timers/promises'
import { command } from '@botwright/framework'

export default command({
  description: 'Answers after more than a second of work outside of the service',
  run: async () => {
    await setTimeout(1300)
    return 'Done.'
  },
})
