import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { botwright } from '../packages/testing/src/vitest.ts'
import { type Project, projects, resources } from '../packages/workspace/src/lib/suite/projects.ts'
import { tiers } from '../packages/workspace/src/lib/suite/tiers.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const suite = `${root}packages/workspace/src/lib/suite/`
const exclude = ['**/node_modules/**', '**/dist/**', 'templates/**']
/** Only ends a test that hangs: programs take long to start on a busy machine. Tests set no limits of their own. */
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } }

/** All random tests of one day have one seed, so a run fails as another did before it. `SEED=7` gives them another. */
const env = { SEED: process.env['SEED'] ?? String(Math.floor(Date.now() / 86_400_000)) }

interface Manifest {
  name: string
  exports?: Record<string, string | { types: string }>
}

/** Tests of a package read the packages' sources, not their builds: the `types` of an entry name the file that it was compiled from. */
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
// Node loads these itself: built packages, as from an author's node_modules, so that a bot and its test share them; and the bots that tests
// write into temporary folders, because vitest may load a module twice that is imported from two places at once.
const server = {
  deps: { external: [/\/packages\/[^/]+\/dist\//, /\/botwright-(?:supervisor|dispatcher)-[^/]+\/.+\.mjs$/] },
}
const endings = Object.values(projects).map(({ ending }) => ending)

/** The tests of the packages with one ending. */
const ofPackages = ([name, { ending, forbidden, isolate, setup }]: [string, Project]): TestProjectConfiguration => {
  const others = endings.filter((one) => one !== ending && one.endsWith(ending))
  return {
    resolve: { alias: sources },
    test: {
      name,
      include: [`packages/*/src/**/*${ending}`, `create-bot/src/**/*${ending}`],
      exclude: [...exclude, ...others.map((one) => `**/*${one}`)],
      server,
      env,
      isolate,
      setupFiles: [`${suite}seed.ts`, ...(forbidden.length === 0 ? [] : [`${suite}guard.ts`])],
      globalSetup: setup === undefined ? [] : [suite + setup],
      provide: { forbidden: forbidden.map((one) => ({ channel: one, ...resources[one] })) },
      ...limits,
    },
  }
}

export default defineConfig({
  root,
  test: {
    // Tests spend half of their time waiting for programs and services that they started, so two processors are busy with four workers.
    maxWorkers: 2 * availableParallelism(),
    tags: tiers.map(({ name, description }) => ({ name, description })),
    projects: [
      ...Object.entries<Project>(projects).map(ofPackages),
      {
        // A bot imports the built packages, as in its author's project.
        plugins: [botwright()],
        test: {
          name: 'bots',
          include: ['examples/*/**/*.test.ts', 'packages/workspace/tests/**/*.test.ts'],
          exclude,
          server,
          env,
          setupFiles: [`${suite}seed.ts`],
          isolate: false,
          ...limits,
        },
      },
    ],
  },
})
