import { SeededRandom } from '@botwright/clock/simulated'
import { type Action, byTime, postFates } from '../plan.ts'
import type { HttpFate } from '../sim-network.ts'
import type { PostFate } from '../sim-webhook.ts'
import type { StoreFate } from './function-store.ts'

/** A fault of functions, or a time of faults. */
export type FunctionIncident = { atMs: number } & (
  | { kind: 'http'; forMs: number; fates: HttpFate[]; share: number; paths?: string }
  | { kind: 'webhook'; forMs: number; fates: PostFate[]; share: number }
  /** `key`: the beginning of the keys that it is about. */
  | { kind: 'store'; forMs: number; fate: StoreFate; share: number; key?: string }
  /** An instance that runs an invocation ends, after so many rounds of work. */
  | { kind: 'kill'; rounds: number }
  /** The instance of a write ends, before it or between it and its answer. */
  | { kind: 'kill_at_write'; write: number; after: boolean }
  /** The service has carried out a request, but its response does not arrive. */
  | { kind: 'kill_at_request'; request: number }
  /** A resource of the bot cannot be opened. */
  | { kind: 'down'; forMs: number }
  /** The platform calls `scheduled` once more, or for a while not at all. */
  | { kind: 'scheduled' }
  | { kind: 'unscheduled'; forMs: number }
  | { kind: 'renumber' }
)

/** All that happens to a bot as functions in one run. The same plan gives the same run. */
export interface FunctionPlan {
  seed: number
  /** How long faults happen. */
  lengthMs: number
  /** `one`: an instance has one invocation at a time, which ends with its response. `many`: work continues after the response. */
  platform: 'one' | 'many'
  /** How far the clocks of the instances are ahead of the service's, by their numbers. */
  skewsMs: number[]
  actions: Action[]
  /** Requests to a route of the bot. One with a former order repeats it. */
  requests: { atMs: number; order: number }[]
  incidents: FunctionIncident[]
}

const SECOND_MS = 1000
/** The time between two scheduled calls. */
export const EVERY_MS = 60 * SECOND_MS
/** The first scheduled run has ended by then. */
const BEGUN_MS = 4 * SECOND_MS

/** It takes a simulation ten times as long. */
const FLOOD_SHARE = 0.05

type Kind = FunctionIncident['kind']
const kinds: readonly Kind[] = [
  ...(['http', 'webhook', 'store', 'kill', 'kill_at_write', 'kill_at_request'] as const),
  ...(['down', 'scheduled', 'unscheduled', 'renumber'] as const),
]
const httpFates: readonly HttpFate[] = [
  ...(['refused', 'cut_before', 'cut_after', 'timeout_after', '500', '502_after', '429', '429_retry'] as const),
  ...(['late', 'slow'] as const),
]
const storeFates: readonly StoreFate[] = [
  ...(['fails', 'fails_after'] as const),
  ...[{ slowMs: 300 }, { slowMs: 3000 }, { slowMs: 20_000 }],
]
const keys = [undefined, undefined, 'function:event', 'function:position', 'function:sent', 'route:', 'task:']
const usual: readonly Action['do'][] = ['say', 'say', 'say', 'say', 'click', 'click']
const rare: readonly Action['do'][] = ['click_twice', 'edit', 'delete', 'react']

/** The plan of a seed: people who write and click, senders of requests, and the kinds of faults that this seed has. */
export function functionPlanOf(seed: number): FunctionPlan {
  const random = new SeededRandom(seed)
  const lengthMs = (1 + random.int(2)) * EVERY_MS + EVERY_MS / 2
  const actions: Action[] = []
  for (let atMs = BEGUN_MS + random.int(20_000); atMs < lengthMs; atMs += 2000 + random.int(34_000)) {
    const channel = random.int(3)
    for (let i = 1 + random.int(3); i > 0; i--)
      actions.push({
        atMs: atMs + random.int(random.chance(0.5) ? 40 : 4000),
        person: random.int(3),
        channel: random.chance(0.7) ? channel : random.int(3),
        do: random.chance(0.1) ? random.pick(rare) : random.pick(usual),
        value: random.int(2 ** 30),
      })
  }
  if (random.chance(FLOOD_SHARE)) flood(actions, random)
  const requests = Array.from({ length: random.int(4) }, (_, i) => ({
    atMs: BEGUN_MS + random.int(lengthMs - BEGUN_MS),
    order: random.chance(0.3) ? Math.max(0, i - 1) : i,
  }))
  const incidents = incidentsOf(seed, { random, lengthMs, moments: [...actions, ...requests] })
  aim(incidents, actions, random)
  return {
    ...{ seed, lengthMs, platform: random.pick(['one', 'many', 'many'] as const) },
    skewsMs: random.chance(0.5) ? [0] : Array.from({ length: 4 }, () => random.pick([0, 20, -20, 3000, -3000])),
    actions: actions.sort(byTime),
    requests: requests.sort(byTime),
    // Later ones could end an invocation whose claim outlasts the simulation.
    incidents: incidents.filter(({ atMs }) => atMs < lengthMs).sort(byTime),
  }
}

/** Texts that together use up the message budget. */
function flood(actions: Action[], random: SeededRandom): void {
  const atMs = BEGUN_MS + random.int(EVERY_MS)
  for (let i = 0; i < 4; i++)
    actions.push({
      ...{ atMs: atMs + random.int(3000), person: random.int(3), channel: random.int(3) },
      ...{ do: 'answer', value: random.int(2 ** 30) },
    })
}

interface Drawing {
  random: SeededRandom
  lengthMs: number
  /** When something arrives at the bot. */
  moments: readonly { atMs: number }[]
}

/** Many kinds of faults hide what one kind alone would show. Every eighth seed has none. */
function incidentsOf(seed: number, { random, lengthMs, moments }: Drawing): FunctionIncident[] {
  const some = random.chance(0.3) ? [random.pick(kinds)] : kinds.filter(() => random.chance(0.35))
  const chosen = seed % 8 === 0 ? [] : some
  return chosen.flatMap((kind) =>
    Array.from({ length: mostOf(kind, random) }, () => {
      const incident = incidentOf(kind, random, BEGUN_MS + random.int(lengthMs - BEGUN_MS))
      // Most faults meet something that is under way: an event that arrives, or a scheduled run.
      if (random.chance(0.5) && moments.length > 0)
        incident.atMs = random.pick(moments).atMs + (random.chance(0.5) ? random.int(100) : random.int(3000)) - 20
      else if (random.chance(0.6))
        incident.atMs =
          EVERY_MS * (1 + random.int(Math.floor(lengthMs / EVERY_MS))) + random.int(random.chance(0.5) ? 60 : 2000) - 20
      return incident
    }),
  )
}

/** Lets some faults meet what they matter to, which chance alone seldom does. */
function aim(incidents: FunctionIncident[], actions: Action[], random: SeededRandom): void {
  for (const incident of [...incidents])
    // The ids start again while two scheduled runs and a person are active.
    if (incident.kind === 'renumber' && random.chance(0.5)) {
      const atMs = Math.max(1, Math.round(incident.atMs / EVERY_MS)) * EVERY_MS
      incident.atMs = atMs + random.int(120)
      if (random.chance(0.5)) incidents.push({ kind: 'scheduled', atMs: atMs + random.int(80) })
      // An invocation that was killed has an event.
      const killedMs = Math.max(BEGUN_MS, atMs - 2000 - random.int(20_000))
      const say = { person: random.int(3), channel: random.int(3), do: 'say', value: random.int(2 ** 30) } as const
      actions.push({ ...say, atMs: killedMs })
      incidents.push({ kind: 'kill', atMs: killedMs, rounds: 2 + random.int(8) })
      for (let i = random.int(3); i > 0; i--)
        actions.push({
          ...{ atMs: atMs + random.int(150), person: random.int(3), channel: random.int(3) },
          ...{ do: 'say', value: random.int(2 ** 30) },
        })
    }
}

function mostOf(kind: Kind, random: SeededRandom): number {
  if (kind === 'renumber' || kind === 'unscheduled' || kind === 'down') return 1
  return 1 + random.int(kind.startsWith('kill') ? 5 : 3)
}

function incidentOf(kind: Kind, random: SeededRandom, atMs: number): FunctionIncident {
  const forMs = random.pick([200, 2000, 10_000, 40_000])
  const share = random.pick([0.1, 0.5, 1])
  switch (kind) {
    case 'http':
      return {
        ...{ kind, atMs, forMs, share, fates: [random.pick(httpFates)] },
        ...(random.chance(0.7) && { paths: random.pick(['/events', '/callback', '/messages']) }),
      }
    case 'webhook':
      return { kind, atMs, forMs, share, fates: [random.pick(postFates)] }
    case 'store': {
      const key = random.pick(keys)
      return { kind, atMs, forMs, share, fate: random.pick(storeFates), ...(key !== undefined && { key }) }
    }
    case 'kill':
      return { kind, atMs, rounds: random.int(30) }
    case 'kill_at_write':
      return { kind, atMs, write: random.int(6), after: random.chance(0.5) }
    case 'kill_at_request':
      return { kind, atMs, request: random.int(2) }
    case 'down':
      return { kind, atMs, forMs }
    case 'unscheduled':
      return { kind, atMs, forMs: random.pick([40_000, 100_000]) }
    case 'scheduled':
    case 'renumber':
      return { kind, atMs }
  }
}
