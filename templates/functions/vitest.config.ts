import { botwright } from '@botwright/testing/vitest'
import { defineConfig } from 'vitest/config'

// Tests load packages as the bot does in production.
export default defineConfig({ plugins: [botwright()] })
