import { defineConfig } from 'vitest/config'
import { fileURLToPath } from 'node:url'

/** Tests read the packages' sources, not their builds: the condition is named in every package's `exports`. */
const conditions = ['botwright-source', 'node', 'import', 'default']

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/workspace/tests/**/*.test.ts',
      'create-bot/src/**/*.test.ts',
      'examples/*/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', 'templates/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
