import { resolve } from 'node:path'
import { sleep, systemClock } from '@botwright/clock'
import { BotwrightError, printableBlock, printableLine } from '@botwright/protocol/facts'
import { durationText } from '../author/duration.ts'
import type { RunRequest } from '../link/durable/run-event.ts'
import type { LogRecord } from '../link/durable/run-log.ts'
import { type RunHead, RunStore } from '../link/durable/run-store.ts'
import { type RunView, runView } from '../link/durable/run-view.ts'
import { botIdsIn, storeIn } from '../runtime/state/state-file.ts'
import { isClustered, reachCluster } from './cluster/reach-cluster.ts'
import { exitCodes } from './exit-codes.ts'
import { table } from './table.ts'

export interface RunsOptions {
  json: boolean
  /** The folder of the state, instead of the cluster that is configured. */
  stateDir?: string
  /** Only this bot's runs. */
  botId?: string
  /** The Redis of a cluster. */
  url?: string
}

/** The runs of one bot. */
interface BotRuns {
  botId: string
  runs: RunStore
}

interface Found extends BotRuns {
  head: RunHead
}

/** How long a running bot has to carry out a request before the command returns. */
const WAIT_MS = 3000
const PAGE = 500

/** `framework runs list`. Resolves with the exit code. */
export async function listRuns(options: RunsOptions & { status?: RunHead['status']; limit: number }): Promise<number> {
  const { json, status, limit } = options
  const found = await withRuns(options, async (bots) =>
    (await Promise.all(bots.map(async (bot) => (await headsOf(bot.runs)).map((head) => ({ ...bot, head }))))).flat(),
  )
  const all = found
    .filter(({ head }) => status === undefined || head.status === status)
    .sort((a, b) => b.head.startedMs - a.head.startedMs)
  const shown = all.slice(0, limit)
  const more = all.length - shown.length
  if (json) print(JSON.stringify({ runs: shown.map(viewOf), more }))
  else if (all.length === 0) print(status === undefined ? 'no run is stored' : `no run is ${status}`)
  else {
    const nowMs = systemClock.now()
    const several = new Set(all.map(({ botId }) => botId)).size > 1
    const rows = shown.map(({ botId, head }) => {
      const { id, file, status: now, startedMs } = head
      const row = [id, now, file, `${durationText(Math.max(nowMs - startedMs, 1000))} ago`, detailOf(head, nowMs)]
      return several ? [...row, botId] : row
    })
    const heading = ['Run', 'Status', 'File', 'Started', 'Waits for, or error', ...(several ? ['Bot'] : [])]
    print(table(heading, rows).join('\n'))
    if (more > 0) print(`${more} more: pass --limit ${all.length}`)
  }
  return exitCodes.stopped
}

/** `framework runs show`. Resolves with the exit code, which is `failed` if there is no such run. */
export async function showRun(id: string, options: RunsOptions): Promise<number> {
  return withRun(id, options, async (found) => {
    const view = viewOf(found)
    const steps = stepsOf((await found.runs.log(id, found.head.part)).records)
    if (options.json) print(JSON.stringify({ ...view, log: steps }))
    else print(runText(view, steps, found.head))
    return exitCodes.stopped
  })
}

/**
 * `framework runs cancel` and `framework runs retry`: a running bot carries out the request at once, a stopped one at its next start.
 * Resolves with the exit code, which is `failed` if there is no such run, or if the request does not fit its status.
 */
export async function requestRun(id: string, action: RunRequest['action'], options: RunsOptions): Promise<number> {
  const required = action === 'cancel' ? 'waiting' : 'failed'
  return withRun(id, options, async ({ botId, runs, head }) => {
    if (head.status !== required) {
      printError(`run ${id} is ${head.status}: only a run that is ${required} can be ${past[action]}`)
      return exitCodes.failed
    }
    await runs.wake(id, { action })
    const isDone = await until(async () => !(await runs.isWoken(id)))
    const { status, error } = (isDone ? await runs.head(id) : undefined) ?? head
    if (options.json)
      print(JSON.stringify({ id, bot_id: botId, action, done: isDone, status, ...(error !== undefined && { error }) }))
    else if (!isDone)
      print(`run ${id} is not ${past[action]} yet: the bot does it when it runs (framework start), or has time for it`)
    else
      print(`run ${id} was ${past[action]}: it is ${status}${error === undefined ? '' : ` (${printableLine(error)})`}`)
    return exitCodes.stopped
  })
}

const past = { cancel: 'cancelled', retry: 'retried' } as const

/** Calls `work` with the runs of each bot of the folder, or of the bot of the cluster. */
async function withRuns<T>(options: RunsOptions, work: (bots: BotRuns[]) => Promise<T>): Promise<T> {
  const { stateDir, botId, url } = options
  if (url !== undefined || (stateDir === undefined && (await isClustered(process.cwd())))) {
    const { cluster, bot } = await reachCluster({ who: 'framework runs', ...(url !== undefined && { url }) })
    return cluster.withStore(bot, (store) => work([{ botId: bot.botId, runs: new RunStore(store) }]))
  }
  const folder = resolve(stateDir ?? '.botwright')
  const known = botIdsIn(folder)
  const ids = known.filter((id) => botId === undefined || id === botId)
  if (botId !== undefined && ids.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `${folder} has no values of the bot ${botId}; it has those of: ${known.join(', ') || 'no bot'}`,
    )
  const stores = ids.map((id) => storeIn(folder, id))
  try {
    return await work(stores.map((store, at) => ({ botId: ids[at]!, runs: new RunStore(store) })))
  } finally {
    for (const store of stores) store.close()
  }
}

async function withRun(id: string, options: RunsOptions, work: (found: Found) => Promise<number>): Promise<number> {
  return withRuns(options, async (bots) => {
    const found: Found[] = []
    for (const bot of bots) {
      const head = await bot.runs.head(id)
      if (head) found.push({ ...bot, head })
    }
    const [one, ...others] = found
    if (one && others.length > 0)
      throw new BotwrightError(
        'ERR_CONFIG',
        `${found.length} bots have a run ${id}: pass --bot ${found.map(({ botId }) => botId).join(' or --bot ')}`,
      )
    if (one) return work(one)
    printError(`no run ${id} is stored; framework runs list shows those that are`)
    return exitCodes.failed
  })
}

async function headsOf(runs: RunStore): Promise<RunHead[]> {
  const found: RunHead[] = []
  for (let after: string | undefined; ;) {
    const page = await runs.heads({ limit: PAGE, ...(after !== undefined && { after }) })
    found.push(...page)
    if (page.length < PAGE) return found
    after = page.at(-1)!.id
  }
}

const viewOf = ({ botId, head }: Found): RunView & { bot_id: string } => ({ ...runView(head), bot_id: botId })

/** The answer or time that a run waits for, or its error. */
function detailOf(head: RunHead, nowMs: number): string {
  const { waits_for, due_at, error = '' } = runView(head)
  if (waits_for === null) return error
  const what = waits_for === 'answer' ? 'an answer' : 'its time'
  if (due_at === null) return what
  const leftMs = Date.parse(due_at) - nowMs
  return `${what}, ${leftMs > 0 ? `${durationText(Math.max(leftMs, 1000))} left` : 'due now'}`
}

/** A step in the record of a run. Without its data and result, which may be secret. */
interface StepView {
  step: number
  kind: string
  name: string
  place: string
  began_at: string
  /** Null while it is under way. */
  ended_at: string | null
  error?: string
}

function stepsOf(records: readonly LogRecord[]): StepView[] {
  const iso = (ms: number) => new Date(ms).toISOString()
  const steps = new Map<number, StepView>()
  for (const record of records)
    if (record.t === 'intent') {
      const { step, kind, name, place, atMs } = record
      steps.set(step, { step, kind, name, place, began_at: iso(atMs), ended_at: null })
    } else {
      const step = steps.get(record.step)
      if (!step) continue
      step.ended_at = iso(record.atMs)
      if (record.error) step.error = record.error.message
    }
  return [...steps.values()]
}

function runText(view: RunView & { bot_id: string }, steps: readonly StepView[], head: RunHead): string {
  const detail = detailOf(head, systemClock.now())
  const facts: [string, string | undefined][] = [
    ['Run', view.id],
    ['Status', view.status],
    [view.waits_for === null ? 'Error' : 'Waits for', detail === '' ? undefined : detail],
    ['File', view.file],
    ['Started', view.started_at],
    [view.waits_for === null ? 'Ended' : 'Since', view.since],
    ['Due', view.due_at ?? undefined],
    ['Steps', String(view.steps)],
    ['Channel', view.channel_id],
    ['Server', view.server_id],
    ['Instance', view.instance],
    ['Bot', view.bot_id],
  ]
  const lines = facts.flatMap(([name, value]) =>
    value === undefined ? [] : `${name.padEnd(11)}${printableLine(value)}`,
  )
  if (steps.length > 0) {
    const rows = steps.map(({ step, kind, name, place, began_at, ended_at, error }) => {
      const result = error === undefined ? (ended_at === null ? 'under way' : 'done') : `failed: ${error}`
      // The name of an answer is its kind and ids.
      return [String(step), kind, kind === 'answer' ? name.split(':', 1)[0]! : name, place, began_at, result]
    })
    lines.push('', ...table(['Step', 'Kind', 'Name', 'Place', 'Began', 'Result'], rows))
  }
  return lines.join('\n')
}

/** Whether it became true in time. */
async function until(holds: () => Promise<boolean>): Promise<boolean> {
  const endMs = systemClock.monotonic() + WAIT_MS
  for (;;) {
    if (await holds()) return true
    if (systemClock.monotonic() >= endMs) return false
    await sleep(systemClock, 50)
  }
}

const print = (text: string) => void process.stdout.write(`${text}\n`)
const printError = (text: string) => void process.stderr.write(`${printableBlock(text)}\n`)
