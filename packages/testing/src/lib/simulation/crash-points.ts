// Exhaustive: one run for each moment at which the process of a short play can end.

import { SeededRandom } from '@botwright/clock/simulated'
import { type Action, actOf, type Incident, type Plan } from './plan.ts'
import type { PowerLoss } from './sim-disk.ts'

/** The number of writes to the disk, and of requests that change something. */
export interface Points {
  writes: number
  requests: number
}

/** How each process of a play ends. */
export interface CrashOptions {
  /** The next process ends as well, soon after its start. */
  twice?: boolean
  /** The power fails, with this loss. */
  power?: PowerLoss
}

const DOWN_MS = 1000
/** A process makes up for the end of the former one within so many writes. */
const AGAIN = 12
/** Each play has so many of the texts that people send: a few seeds together have all. */
const SAYS = 4
const STEP_MS = 4000
/** Reminders and sleeping runs of the play are due by then. */
const LENGTH_MS = 90_000

/** A short play without faults, in which people answer and click what the bot asks and posts, and each actor acts twice. */
export function shortPlan(seed: number, { actors = [] }: { actors?: readonly string[] } = {}): Plan {
  const random = new SeededRandom(seed)
  const act = (atMs: number, what: Action['do'], value = random.int(2 ** 30)): Action => {
    const latest = atMs + random.int(STEP_MS / 2)
    return { atMs: latest, person: random.int(3), channel: random.int(2), do: what, value }
  }
  const actions = Array.from({ length: SAYS }, (_, i) => {
    const atMs = 2000 + i * STEP_MS
    return [
      act(atMs, 'say', seed * SAYS + i),
      act(atMs + STEP_MS, 'answer'),
      act(atMs + STEP_MS, 'click'),
      act(atMs + 2 * STEP_MS, 'click'),
    ]
  }).flat()
  const delivery = random.pick(['poll', 'both', 'webhook'] as const)
  for (const by of actors)
    for (const atMs of [3000, 3000 + SAYS * STEP_MS]) actions.push(actOf(by, atMs + random.int(STEP_MS), random))
  return { seed, lengthMs: LENGTH_MS, delivery, actions: actions.sort((a, b) => a.atMs - b.atMs), incidents: [] }
}

/**
 * A plan for each moment at which the process can end: before and after each write, and when the service has carried out a request.
 * `points` are those of a run without a crash.
 */
export function crashPlans(plan: Plan, points: Points, { twice = false, power }: CrashOptions = {}): Plan[] {
  const random = new SeededRandom(plan.seed)
  const plans: Plan[] = []
  const add = (incident: Incident) => {
    const again = twice ? { again: random.int(AGAIN) } : {}
    plans.push({ ...plan, incidents: [{ ...incident, ...again, ...(power && { power }) }] })
  }
  const common = { atMs: 0, downMs: DOWN_MS }
  for (let write = 0; write < points.writes; write++)
    for (const after of [false, true]) add({ ...common, kind: 'kill_at_write', write, after })
  for (let request = 0; request < points.requests; request++) add({ ...common, kind: 'kill_at_request', request })
  return plans
}
