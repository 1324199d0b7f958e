import counting from '@botwright/example-plugin-counting'
import { defineConfig } from '@botwright/framework'

export default defineConfig({
  plugins: { counting: counting({ channel: 'random', start: 10 }) },
})
