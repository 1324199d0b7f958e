import type { SetAside } from '@botwright/events'
import type { Definition } from '../../../author/files/entries.ts'
import type { StateStore } from '../../../author/ports.ts'
import { RunStore } from '../../durable/stored/run-store.ts'
import { type RunView, runView } from '../../durable/stored/run-view.ts'
import { readinessOf } from '../readiness.ts'
import { type HealthFacts, rounded } from '../../problems/health-facts.ts'
import type { QueueView } from '../../problems/queues.ts'
import type { TaskView } from '../../problems/tasks.ts'
import type { BudgetMinute } from '../../problems/budget-minutes.ts'
import { type SwitchView, switchView } from '../../switches/change.ts'
import { switchNames } from '../../switches/find-name.ts'
import { readOff } from '../../switches/switch-store.ts'
import type { ServerView } from '../../access/access-watch.ts'
import type { HeldView } from '../../quiet-hours/held-view.ts'
import type { FileState } from '../../problems/file-runs.ts'
import type { Sender } from '../../problems/senders.ts'
import type { Problem } from '../../problems/problems.ts'

/** The versions that this instance runs. */
export interface Versions {
  framework: string
  node: string
  /** Of the bot's package.json. */
  bot: string
  /** A hash of bot.config.ts, without variables and the options of plugins: equal on instances with equal configurations. */
  config: string
}

/** The response of `GET /control/state`. docs/control-room-reference.md describes each field. Times are in ISO 8601. */
export interface ControlState {
  at: string
  bot: { id: string; username: string } | null
  state: HealthFacts['state']
  ready: boolean
  problems: Problem[]
  /** Whether `POST` requests are accepted. */
  actions: boolean
  versions: Versions
  /** In a cluster, the sections that describe only the instance that answers. */
  local: readonly string[]
  /** The sections that could not be read, with the reason. Their values are null. */
  unavailable: Record<string, string>
  events: {
    lag_seconds: number
    last_poll_seconds: number | null
    received: number
    waiting: number
    running: number
    finished: number
    duplicates: number
    skipped: number
  }
  /** The longest queues of events, and those with the oldest ones; none in a cluster. */
  queues: QueueView[]
  workers: { restarts: number; reloads: number }
  budget: {
    limit: number | null
    used: number
    waiting: number
    free_in_seconds: number
    /** The file that sent the most messages of the last minute. */
    sender: { file: string | null; sent: number } | null
    minutes: BudgetMinute[]
  }
  /** Messages that wait for the end of quiet hours. */
  held: { total: number; channels: HeldView[] } | null
  /** The channels, roles and permissions of the bot in its servers. */
  servers: ServerView[] | null
  files: FileState[]
  /** Null without a cluster. */
  cluster: ClusterState | null
  dead_letters: { total: number; newest: DeadLetter[] } | null
  runs: { waiting: RunView[]; more: boolean } | null
  tasks: TaskView[] | null
  /** The files that are switched off, and the names of all that can be. */
  switches: { off: SwitchView[]; names: string[] } | null
  /** Requests to routes. */
  requests: { set_aside: number } | null
}

export interface ClusterState {
  engine: string
  /** The instance that answers. */
  id: string
  leads: boolean
  has_lease: boolean
  away_seconds: number | null
  term: number | null
  leader: string | null
  waiting: number | null
  lag_seconds: number | null
  instances: InstanceView[] | null
}

interface InstanceView {
  id: string
  leads: boolean
  joined_at: string
  seen_at: string
  running: number
  waiting: number
  partitions: number
  version: string
}

/** An event that was set aside. Its content is not shown. */
interface DeadLetter {
  id: number
  type: string
  created_at: string
  set_aside_at: string
  reason: string
}

const MOST_DEAD_LETTERS = 100
const MOST_RUNS = 200
const iso = (ms: number): string => new Date(ms).toISOString()

/** The parts of the state that are facts of this instance. */
export function eventsOf(facts: HealthFacts): ControlState['events'] {
  const { lag_seconds, last_poll_seconds, waiting, running } = readinessOf(facts)
  const { received = 0, finished = 0, duplicates = 0, skipped = 0 } = facts.bot?.stats ?? {}
  return { lag_seconds, last_poll_seconds, received, waiting, running, finished, duplicates, skipped }
}

export function budgetOf(
  { bot }: HealthFacts,
  { minutes, sender }: { minutes: BudgetMinute[]; sender: Sender | undefined },
): ControlState['budget'] {
  const { limit = Infinity, used = 0, waiting = 0, freeInMs = 0 } = bot?.rest ?? {}
  return {
    limit: Number.isFinite(limit) ? limit : null,
    used,
    waiting,
    free_in_seconds: rounded(freeInMs / 1000),
    sender: sender ? { file: sender.file ?? null, sent: sender.sent } : null,
    minutes,
  }
}

export function clusterOf({ bot, monotonicMs, nowMs }: HealthFacts): ClusterState | null {
  if (!bot?.cluster) return null
  const { member, cluster } = bot.cluster
  const { id, leads, engine, awaySinceMs } = member
  const oldest = cluster?.partitions.flatMap(({ oldestAtMs }) => oldestAtMs ?? []) ?? []
  return {
    engine,
    id,
    leads,
    has_lease: member.member,
    away_seconds: awaySinceMs === undefined ? null : rounded((monotonicMs - awaySinceMs) / 1000),
    term: cluster?.term ?? null,
    leader: cluster?.leader ?? null,
    waiting: cluster ? cluster.partitions.reduce((sum, { waiting }) => sum + waiting, 0) : null,
    lag_seconds: cluster ? rounded(Math.max(0, nowMs - Math.min(nowMs, ...oldest)) / 1000) : null,
    instances:
      cluster?.instances.map((instance) => ({
        id: instance.id,
        leads: instance.leads,
        joined_at: iso(instance.joinedAtMs),
        seen_at: iso(instance.seenAtMs),
        running: instance.running,
        waiting: instance.waiting,
        partitions: instance.partitions,
        version: instance.version,
      })) ?? null,
  }
}

/** The newest events that were set aside. */
export function deadLettersOf(all: readonly SetAside[], clean: (text: string) => string): ControlState['dead_letters'] {
  const newest = all
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, MOST_DEAD_LETTERS)
    .map(({ event: { id, type, created_at }, reason, atMs }) => {
      return { id, type, created_at, set_aside_at: iso(atMs), reason: clean(reason) }
    })
  return { total: all.length, newest }
}

/** The durable runs that wait, out of the first stored ones. */
export async function runsOf(store: StateStore): Promise<ControlState['runs']> {
  const heads = await new RunStore(store).heads({ limit: MOST_RUNS })
  const waiting = heads.filter(({ status }) => status === 'waiting').map((head) => runView(head))
  return { waiting, more: heads.length === MOST_RUNS }
}

export async function switchesOf(
  store: StateStore,
  definitions: readonly Definition[],
): Promise<ControlState['switches']> {
  return { off: (await readOff(store)).map(switchView), names: switchNames(definitions) }
}
