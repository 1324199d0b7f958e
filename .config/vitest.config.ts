import { defineConfig } from 'vitest/config'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const exclude = ['**/node_modules/**', '**/dist/**', 'templates/**']
/** Only ends a test that hangs: programs take long to start on a busy machine. Tests set no limits of their own. */
const limits = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } }

interface Manifest {
  name: string
  exports?: Record<string, string | { types: string }>
}

/** Unit tests read the packages' sources, not their builds: the `types` of an entry name the file that it was compiled from. */
const sources = [...readdirSync(`${root}packages`).map((name) => `packages/${name}`), 'create-bot'].flatMap(
  (folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) as Manifest
    return Object.entries(exports).flatMap(([entry, target]) => {
      if (typeof target === 'string') return []
      const file = target.types.replace(/^\.\/dist\/(?:joined\/)?(.+)\.d\.ts$/, 'src/$1.ts')
      return [{ find: new RegExp(`^${name + entry.slice(1)}$`), replacement: `${root}${folder}/${file}` }]
    })
  },
)

export default defineConfig({
  root,
  test: {
    // With two processors, vitest would use one. Tests spend much of their time waiting for programs that they started.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { alias: sources },
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts', 'create-bot/src/**/*.test.ts'],
          exclude,
          ...limits,
        },
      },
      {
        // A bot imports the built packages, as in its author's project.
        test: {
          name: 'bots',
          include: ['examples/*/**/*.test.ts', 'packages/workspace/tests/**/*.test.ts'],
          exclude,
          // Node loads these itself, as from an author's node_modules, so a bot and its test share them.
          server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
          ...limits,
        },
      },
    ],
  },
})
