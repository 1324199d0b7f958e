import { setTimeout } from 'node:timers/promises'
import { command } from '@botwright/framework'

// Loads slowly, like a module with many imports.
await setTimeout(Number(process.env['SLOW_LOAD_MS'] ?? 200))

export default command({
  description: 'Answers after waiting for something other than the service',
  run: async () => {
    await setTimeout(100)
    return 'At last.'
  },
})
