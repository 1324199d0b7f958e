import { command } from '@botwright/framework'

let count = 0

export default command({
  description: 'Counts in memory, which is lost with the process',
  run: () => `Counted ${++count} for ${process.env['KIT_BOT_OWNER'] ?? 'nobody'}`,
})
