import { defineConfig } from '@botwright/framework'
import polls from '@botwright/plugins/polls'

export default defineConfig({
  plugins: { polls: polls() },
})
