// The bot that the repository simulates as functions, and what must hold for it besides the rules for all bots.

import { fileURLToPath, pathToFileURL } from 'node:url'
import { compileBot } from '@botwright/dev/compile'
import { loadBot } from '@botwright/framework'
import type { FunctionRule, SimFunctions } from '@botwright/testing/simulation'
import { postedTwice } from './bot-facts.test.fixture.ts'

const folder = fileURLToPath(new URL('../../../tests/simulated-function-bot', import.meta.url))
const database = 'resources/database.ts'
const commands = ['ping', 'count', 'vote', 'slow', 'remind']

/** Compiles the bot once. */
export async function functionBot(): Promise<SimFunctions> {
  const { source } = await compileBot(folder)
  for (const file of Object.keys(source.modules)) source.provide?.(file)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const { manifest, modules, root } = source
  const { definitions } = await loadBot({ manifest, modules, root }, {
    log,
    me: { id: '', username: '' } as never,
  } as never)
  // Loaded now: a test takes longer to load a module than simulated time waits.
  const loaded = await Promise.all(
    Object.entries(modules).map(
      async ([file, path]) => [file, (await import(pathToFileURL(path).href)) as object] as const,
    ),
  )
  const files = Object.fromEntries(loaded.map(([file, module]) => [file, async (): Promise<unknown> => module]))
  const { openDatabase } = Object.fromEntries(loaded)[database] as { openDatabase: () => unknown }
  return {
    bundle: () => ({
      ...{ manifest, definitions, codeId: 'simulated', everyMs: 60_000 },
      // The modules of all instances are those of this process, but a resource is open in one bot only.
      files: { ...files, [database]: async () => ({ default: openDatabase() }) },
    }),
    config: { limits: { handlerSeconds: 20 } },
    says: [...commands, 'ping', 'ping', 'vote', 'count'].map((name) => `/${name} {n}`),
    floods: ['/many {n}'],
    route: '/order',
    rules,
  }
}

const rules: readonly FunctionRule[] = [
  {
    name: 'a reminder comes once',
    why: 'its row is claimed before it runs',
    check: (facts) => postedTwice(facts, /^reminder (\d+)$/),
  },
  {
    name: 'a task runs once for each of its times',
    why: 'its time is claimed before it runs, by whichever scheduled run is first',
    *check({ record }) {
      const seen = new Set<unknown>()
      for (const { facts, msg } of record.lines) {
        if (msg !== 'tick') continue
        if (seen.has(facts['tick']) && facts['again'] !== true) yield `${String(facts['tick'])} ran twice`
        seen.add(facts['tick'])
      }
    },
  },
  {
    name: 'ctx.once works at most once',
    why: 'its beginning is stored before its work',
    *check({ rows }) {
      for (const { key, value } of rows)
        if (key.includes('count ') && !key.startsWith('once:') && (value as { value?: unknown }).value !== 1)
          yield `${key} is ${JSON.stringify(value)}`
    },
  },
]
