import type { MemoryStore, RunningBot } from '@botwright/framework/start'
import { isQuiet } from '../rules.ts'
import type { SimHost } from '../sim-host.ts'
import type { Crowd } from './crowd.ts'
import type { FoundList } from './found.ts'
import type { PlayBot } from './play-bot.ts'
import type { PlayedBot } from './invariants.ts'
import type { PlayFaults } from './play-faults.ts'
import { isStateKey, readOwner, readStateKey } from './state-keys.ts'

interface Options {
  crowd: Crowd
  values: MemoryStore
  host: SimHost
  faults: PlayFaults
  found: FoundList
}

/** Checks what the author has declared, while the bot is idle. */
export function invariantsOf(bot: PlayBot, { crowd, values, host, faults, found }: Options) {
  const broken = new Set<string>()
  const { world } = host
  return {
    async check(running: RunningBot | undefined): Promise<void> {
      if (bot.invariants.length === 0 || !isQuiet(running)) return
      const stored = (await values.list('')).filter(({ key }) => isStateKey(key))
      const read = new Set<string>()
      const facts: PlayedBot = {
        state: <T>(name: string) => {
          read.add(name)
          return stored.flatMap(({ key, value }) =>
            readStateKey(key) === name ? [{ owner: readOwner(key), value: (value as { value: T }).value }] : [],
          )
        },
        messages: [...crowd.messages.values()],
        people: Object.fromEntries([...crowd.names].map(([id, name]) => [name, id])),
        now: new Date(world.startMs + world.nowMs),
        clock: {
          now: () => Math.floor(world.startMs + world.nowMs + host.skewMs),
          jumpedMs: faults.jumpedMs,
        },
      }
      for (const { name, check, stack } of bot.invariants) {
        if (broken.has(name)) continue
        read.clear()
        const result = await Promise.resolve()
          .then(() => check(facts))
          .catch((error: unknown) => `its check throws: ${error instanceof Error ? error.message : String(error)}`)
        if (result !== false && typeof result !== 'string') continue
        // Later checks would repeat it.
        broken.add(name)
        const own = bot.places.ofStack(stack) ?? { file: 'simulate.ts' }
        const killed = faults.killedAt(read)
        const place = killed ?? faults.lastWrite(read) ?? own
        const declared = place === own ? '' : `; ${own.file}${own.line === undefined ? '' : `:${own.line}`} declares it`
        const why = typeof result === 'string' ? `: ${crowd.readable(result)}` : ''
        found.add(
          'invariant',
          place,
          `"${name}" does not hold${why}${killed ? ', since the process was killed here' : declared}`,
        )
      }
      // A crash has not broken an invariant that holds after it.
      faults.forgetKills()
    },
  }
}
