import { SeededRandom } from '@botwright/clock/simulated'
import type { HttpFate } from './sim-network.ts'
import type { DiskFate } from './sim-connection.ts'
import type { PowerLoss } from './sim-disk.ts'
import type { PostFate } from './sim-webhook.ts'

/** Something that a person does. `value` selects what exactly. */
export interface Action {
  atMs: number
  person: number
  channel: number
  do: 'say' | 'answer' | 'click' | 'click_twice' | 'edit' | 'delete' | 'leave' | 'react' | 'act'
  value: number
  /** The actor of the bot that does it, with 'act'. */
  by?: string
}

/** A fault, or a time of faults. */
export type Incident = { atMs: number } & (
  | { kind: 'http'; forMs: number; fates: HttpFate[]; share: number; paths?: string }
  /** `power`: the whole computer ends. */
  | { kind: 'kill'; rounds: number; downMs: number; power?: PowerLoss }
  /** `again`: the next process ends too, after so many writes. */
  | { kind: 'kill_at_write'; write: number; after: boolean; downMs: number; again?: number; power?: PowerLoss }
  /** The service has carried out a request, but its response does not arrive. */
  | { kind: 'kill_at_request'; request: number; downMs: number; again?: number; power?: PowerLoss }
  | { kind: 'stop'; graceMs: number; downMs: number }
  | { kind: 'reload' }
  | { kind: 'disk'; forMs: number; fate: DiskFate; share: number; use: 'read' | 'write'; file?: string }
  | { kind: 'clock'; byMs: number }
  | { kind: 'suspend'; forMs: number }
  | { kind: 'renumber' }
  | { kind: 'forbid'; forMs: number }
  | { kind: 'webhook'; forMs: number; fates: PostFate[]; share: number }
  | { kind: 'ban'; person: number; forMs: number }
  | { kind: 'role'; person: number; forMs: number }
)
/** The kind of a fault. */
export type IncidentKind = Incident['kind']

/** All that happens to a bot in one run. The same plan gives the same run. */
export interface Plan {
  seed: number
  /** How long faults happen. */
  lengthMs: number
  /** How events reach the bot. Default: polls. */
  delivery?: 'poll' | 'webhook' | 'both'
  /** How long a request to the store, and its response, take at most. Default: no time. */
  storeMs?: number
  /** People answer many questions, and click many buttons, as soon as they see them. */
  quick?: boolean
  actions: Action[]
  incidents: Incident[]
}

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

/** Kinds of faults, each of which a seed has or has not. `answers`: the first answer to a click fails, and a later one works. */
const kinds = [
  ...([
    'http',
    'answers',
    'kill',
    'kill_at_write',
    'stop',
    'reload',
    'disk',
    'clock',
    'suspend',
    'renumber',
    'forbid',
    'webhook',
    'ban',
    'role',
  ] as const),
]
type Kind = (typeof kinds)[number]
const httpFates: readonly HttpFate[] = [
  ...(['refused', 'cut_before', 'cut_after', 'timeout_after', '500', '502_after', '429', '429_retry'] as const),
  ...(['late', 'slow', 'early'] as const),
]
/** The person who clicks sees no answer in time. */
const unanswered: readonly HttpFate[] = ['slow', 'cut_before', '500', '429', 'refused']
export const postFates: readonly PostFate[] = ['lost', 'twice', 'late', 'forged']
const paths = ['/events', '/callback', '/messages', '/v1/']
const usual: readonly Action['do'][] = ['say', 'say', 'say', 'say', 'answer', 'answer', 'click', 'click', 'click']
const rare: readonly Action['do'][] = ['click_twice', 'edit', 'delete', 'leave', 'react']

const unreadable = { kind: 'disk', use: 'read', fate: 'fails', share: 1, file: 'state.db' } as const
const unsent = { kind: 'http', share: 1, fates: ['refused'], paths: '/messages' } satisfies Partial<Incident>
export const byTime = (a: { atMs: number }, b: { atMs: number }) => a.atMs - b.atMs
/** Whether the process ends, and starts again while everything goes on. */
const isEnd = (one: Incident): one is Extract<Incident, { kind: 'kill' | 'stop' }> =>
  (one.kind === 'kill' || one.kind === 'stop') && one.downMs < HOUR_MS

/** The plan of a seed: people who write and click, the actors of the bot, and the kinds of faults that this seed has. */
export function planOf(
  seed: number,
  options: { minutes?: number; people?: number; channels?: number; actors?: readonly string[] } = {},
): Plan {
  const { minutes = 10, people = 3, channels = 3, actors = [] } = options
  const random = new SeededRandom(seed)
  const lengthMs = minutes * 60 * SECOND_MS
  const calm = seed % 8 === 0
  const delivery = random.pick(['poll', 'poll', 'poll', 'both', 'both', 'webhook'] as const)
  // Many faults hide what one kind alone would show.
  const some = random.chance(0.3) ? [random.pick(kinds)] : kinds.filter(() => random.chance(0.4))
  const chosen = calm ? [] : some
  const fates = httpFates.filter(() => random.chance(0.5))
  const actions: Action[] = []
  // Bursts: what happens close together meets in the bot.
  for (let atMs = 2000 + random.int(3000); atMs < lengthMs; atMs += 500 + random.int(24_000)) {
    const count = 1 + random.int(4)
    const channel = random.int(channels)
    for (let i = 0; i < count; i++)
      actions.push({
        atMs: atMs + random.int(random.chance(0.5) ? 40 : 4000),
        person: random.int(people),
        channel: random.chance(0.7) ? channel : random.int(channels),
        do: random.chance(0.1) ? random.pick(rare) : random.pick(usual),
        value: random.int(2 ** 30),
      })
  }
  // Actors change neither what people do nor the faults.
  for (const by of actors) actions.push(...actsOf(by, seed, lengthMs))
  const incidents = chosen.flatMap((kind) =>
    Array.from({ length: most(kind, minutes, random) }, () =>
      incidentOf(kind, { random, fates, atMs: 1000 + random.int(lengthMs - 1000) }),
    ),
  )
  // Most faults meet something that is under way, or one another.
  const clicks = actions.filter(({ do: what }) => what.startsWith('click'))
  for (const incident of incidents) {
    if (incident.kind === 'http' && incident.paths === '/callback' && clicks.length > 0)
      incident.atMs = random.pick(clicks).atMs + random.int(30) - 10
    else if (actions.length === 0 || !random.chance(0.85)) continue
    else if (random.chance(0.25)) {
      const other = random.pick(incidents)
      incident.atMs = other.atMs + random.int('forMs' in other ? Math.min(other.forMs, 5000) : 500)
    } else
      incident.atMs = random.pick(actions).atMs + (random.chance(0.4) ? random.int(120) - 40 : random.int(3000) - 1000)
    incident.atMs = Math.max(0, incident.atMs)
  }
  aim(incidents, actions, random)
  const pace = new SeededRandom(seed).fork('pace')
  return {
    ...{ seed, lengthMs, delivery, actions: actions.sort(byTime), incidents: incidents.sort(byTime) },
    ...(pace.chance(0.4) && { storeMs: pace.pick([3, 30, 300]) }),
    ...(pace.chance(0.3) && { quick: true }),
  }
}

/** The acts of an actor, in bursts. */
function actsOf(by: string, seed: number, lengthMs: number): Action[] {
  const random = new SeededRandom(seed).fork(by)
  const acts: Action[] = []
  for (let atMs = 1000 + random.int(20_000); atMs < lengthMs; atMs += 500 + random.int(40_000))
    for (let left = 1 + random.int(3); left > 0; left--)
      acts.push(actOf(by, atMs + random.int(random.chance(0.5) ? 40 : 4000), random))
  return acts
}

export const actOf = (by: string, atMs: number, random: SeededRandom): Action => ({
  ...{ atMs, person: 0, channel: 0, do: 'act', value: random.int(2 ** 30), by },
})

/** The plan of a seed whose processes end because the power fails. */
export function withPowerFailures(plan: Plan): Plan {
  const incidents = plan.incidents.map((one): Incident =>
    one.kind === 'kill' || one.kind === 'kill_at_write' ? { ...one, power: 'some' } : one,
  )
  return { ...plan, incidents }
}

/** Lets some faults meet what they matter to, which chance alone seldom does. */
function aim(incidents: Incident[], actions: Action[], random: SeededRandom): void {
  const those = (...what: Action['do'][]) => actions.filter((action) => what.includes(action.do))
  const [says, answers, clicks] = [those('say'), those('answer'), those('click', 'click_twice')]
  const ends = incidents.filter(isEnd).sort(byTime)
  const some = <T>(list: readonly T[], share: number): T | undefined =>
    list.length > 0 && random.chance(share) ? random.pick(list) : undefined
  for (const incident of [...incidents]) {
    const { kind } = incident
    // An event waits for the disk when the bot stops.
    const waiting = kind === 'stop' ? some(says, 0.1) : undefined
    if (waiting) {
      Object.assign(incident, { atMs: waiting.atMs + 50 + random.int(900), graceMs: 10_000 })
      incidents.push({ ...unreadable, atMs: Math.max(0, waiting.atMs - 20), forMs: 3000 })
    }
    // The process ends while a click that it has acknowledged waits behind another one.
    const click = kind === 'kill' ? some(clicks, 0.3) : undefined
    if (click) {
      Object.assign(incident, { atMs: click.atMs + 2100 + random.int(1800), rounds: random.int(4) })
      for (let i = 0; i < 3; i++)
        actions.push({ ...click, do: 'click', atMs: click.atMs - random.int(1500), value: random.int(2 ** 30) })
    }
    // An answer cannot be stored.
    const answer = kind === 'disk' && incident.use === 'write' ? some(answers, 0.5) : undefined
    if (answer) Object.assign(incident, { atMs: answer.atMs - random.int(20), share: 1, file: 'state.db' })
    // The ids of events start again while the bot is away.
    const away = kind === 'renumber' ? some(ends, 0.4) : undefined
    if (away) incident.atMs = away.atMs + 300 + random.int(away.downMs)
  }
  // The state cannot be read when the bot starts. After the last start, nothing makes up for it: messages that could not be sent are left by then.
  for (const end of ends) {
    const isLast = end === ends.at(-1)
    if (!random.chance(isLast ? 0.5 : 0.1)) continue
    const say = end.kind === 'kill' ? some(says, 1) : undefined
    if (say) Object.assign(end, { atMs: say.atMs + 30 + random.int(600), rounds: random.int(8) })
    incidents.push({ ...unreadable, atMs: end.atMs + end.downMs - 50, forMs: 3000 })
    if (isLast) incidents.push({ ...unsent, atMs: Math.max(0, end.atMs - 4000), forMs: 4000 + end.downMs })
  }
}

function most(kind: Kind, minutes: number, random: SeededRandom): number {
  if (kind === 'renumber' || kind === 'suspend' || kind === 'reload') return 1 + random.int(2)
  return 1 + random.int(minutes)
}

function incidentOf(
  kind: Kind,
  { random, fates, atMs }: { random: SeededRandom; fates: HttpFate[]; atMs: number },
): Incident {
  const downMs = random.chance(0.05) ? 25 * HOUR_MS : random.pick([200, 1000, 5000, 60_000])
  const forMs = random.pick([200, 2000, 10_000, 40_000])
  const share = random.pick([0.1, 0.5, 1])
  switch (kind) {
    case 'http':
      return {
        ...{ kind, atMs, forMs, share, paths: random.pick(paths) },
        fates: fates.length > 0 && random.chance(0.7) ? [random.pick(fates)] : [...httpFates],
      }
    case 'answers':
      return { kind: 'http', atMs, forMs: 200, share: 1, paths: '/callback', fates: [random.pick(unanswered)] }
    case 'kill':
      return { kind, atMs, rounds: random.int(60), downMs }
    case 'kill_at_write':
      return { kind, atMs, write: random.int(30), after: random.chance(0.5), downMs }
    case 'stop':
      return { kind, atMs, graceMs: random.pick([0, 500, 10_000]), downMs }
    case 'disk': {
      const use = random.chance(0.65) ? 'write' : 'read'
      const fate = use === 'read' ? 'fails' : random.pick<DiskFate>(['fails', 'full', 'readonly', { slowMs: 700 }])
      const file = random.pick([undefined, 'journal.db', 'state.db'])
      const often = use === 'read' ? Math.max(share, 0.5) : share
      return { kind, atMs, forMs, share: often, use, fate, ...(file !== undefined && { file }) }
    }
    case 'clock':
      return { kind, atMs, byMs: random.pick([-1, 1]) * random.pick([5000, 90_000, HOUR_MS, 50 * HOUR_MS]) }
    case 'suspend':
      return { kind, atMs, forMs: random.pick([5000, 120_000, HOUR_MS]) }
    case 'forbid':
      return { kind, atMs, forMs }
    case 'webhook':
      return { kind, atMs, forMs, share, fates: [random.pick(postFates)] }
    case 'ban':
    case 'role':
      return { kind, atMs, person: 1 + random.int(2), forMs: random.pick([2000, 40_000, 300_000]) }
    case 'reload':
    case 'renumber':
      return { kind, atMs }
  }
}
