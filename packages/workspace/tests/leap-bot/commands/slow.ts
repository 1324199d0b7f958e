import { setTimeout } from 'node:timers/promises'
import { command } from '@botwright/framework'

// A module that takes its time to load, as one with many imports does.
await setTimeout(Number(process.env['SLOW_LOAD_MS'] ?? 200))

export default command({
  description: 'Answers after something else than the service',
  run: async () => {
    await setTimeout(100)
    return 'At last.'
  },
})
