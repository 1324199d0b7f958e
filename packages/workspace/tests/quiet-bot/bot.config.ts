import { defineConfig } from '@botwright/framework'

export default defineConfig({
  quietHours: { from: '22:00', until: '07:00', timezone: 'Europe/Berlin' },
})
