import { defineConfig } from 'vitest/config'
import { fileURLToPath } from 'node:url'

/** Unit tests read the packages' sources, not their builds: the condition is named in every package's `exports`. */
const conditions = ['botwright-source', 'node', 'import', 'default']
const exclude = ['**/node_modules/**', '**/dist/**', 'templates/**']
const limits = { testTimeout: 30_000, hookTimeout: 30_000 }

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // Of two processors vitest would use one; much of a test here is waiting for programs that it started.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts', 'create-bot/src/**/*.test.ts'],
          exclude,
          ...limits,
        },
      },
      {
        // A bot imports the packages as its author has them: built.
        test: {
          name: 'bots',
          include: ['examples/*/**/*.test.ts', 'packages/workspace/tests/**/*.test.ts'],
          exclude,
          // Loaded by Node itself, as from an author's node_modules: a bot and its test then share them.
          server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
          ...limits,
        },
      },
    ],
  },
})
