import { defineConfig } from '@botwright/framework'
import karma from './karma/plugin.ts'

export default defineConfig({ plugins: { karma: karma({ step: 2 }) } })
