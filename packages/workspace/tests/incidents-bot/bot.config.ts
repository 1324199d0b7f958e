import { defineConfig } from '@botwright/framework'

export default defineConfig({ delivery: 'both', webhook: { port: 0, path: '/events' } })
