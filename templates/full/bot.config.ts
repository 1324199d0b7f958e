import { defineConfig } from '@botwright/framework'

export default defineConfig({
  // After downtime: answer messages of the last two minutes and clicks that are still open, and handle all other events.
  catchUp: { message: '2m', interaction: 'open', default: 'all' },
})
