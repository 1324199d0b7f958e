import { defineConfig } from '@botwright/framework'

export default defineConfig({
  // After a stop: messages of the last two minutes are answered, clicks while they may be, and everything else is made up for.
  catchUp: { message: '2m', interaction: 'open', default: 'all' },
})
