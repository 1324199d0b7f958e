import { systemClock } from '@botwright/clock'
import { BotwrightError, printableBlock, printableLine } from '@botwright/protocol/facts'
import { durationText } from '../../../author/time/duration.ts'
import type { RunRequest } from '../../../link/run-event.ts'
import { type RunHead, RunStore } from '../stored/run-store.ts'
import { type RunView, runView } from '../stored/run-view.ts'
import { type BotStore, type StoreOptions, withStores } from '../../stored-state/bot-stores.ts'
import { botIdsIn } from '../../stored-state/state-file.ts'
import { exitCodes } from '../../../program/exit-codes.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { detailOf, runText, shortDetail, shortIds, stepsOf } from './runs-text.ts'
import { until } from '../../set-aside/commands/replay-command.ts'
import { table } from '../../../program/table.ts'

export interface RunsOptions extends StoreOptions {
  io: ProgramIo
  json: boolean
}

/** The runs of one bot. */
interface BotRuns extends BotStore {
  runs: RunStore
}

interface Found extends BotRuns {
  head: RunHead
}

const PAGE = 500

/** `framework runs list`. Resolves with the exit code. */
export async function listRuns(options: RunsOptions & { status?: RunView['status']; limit: number }): Promise<number> {
  const { json, status, limit } = options
  const print = printer(options.io)
  const found = await withRuns(options, async (bots) =>
    (await Promise.all(bots.map(async (bot) => (await headsOf(bot.runs)).map((head) => ({ ...bot, head }))))).flat(),
  )
  const all = found
    .sort((a, b) => b.head.startedMs - a.head.startedMs)
    .map(viewOf)
    .filter((view) => status === undefined || view.status === status)
  const shown = all.slice(0, limit)
  const more = all.length - shown.length
  if (json) print(JSON.stringify({ runs: shown, more }))
  else if (all.length === 0) print(status === undefined ? 'no run is stored' : `no run is ${status}`)
  else {
    const nowMs = systemClock.now()
    const several = new Set(all.map(({ bot_id }) => bot_id)).size > 1
    const ids = shortIds(shown)
    const rows = shown.map((view, at) => {
      const { status: now, file, started_at, bot_id } = view
      const ago = `${durationText(Math.max(nowMs - Date.parse(started_at), 1000))} ago`
      return [ids[at]!, now, file, ago, shortDetail(view, nowMs), ...(several ? [bot_id] : [])]
    })
    const heading = ['Run', 'Status', 'File', 'Started', 'Waits for, or reason', ...(several ? ['Bot'] : [])]
    print(table(heading, rows).join('\n'))
    if (more > 0) print(`${more} more: pass --limit ${all.length}`)
  }
  return exitCodes.stopped
}

/** `framework runs show`. Resolves with the exit code, which is `failed` if there is no such run. */
export async function showRun(id: string, options: RunsOptions): Promise<number> {
  const print = printer(options.io)
  return withRun(id, options, async (found) => {
    const view = viewOf(found)
    const steps = stepsOf((await found.runs.log(view.id, found.head.part)).records)
    if (options.json) print(JSON.stringify({ ...view, log: steps }))
    else print(runText(view, steps, systemClock.now()))
    return exitCodes.stopped
  })
}

/**
 * `framework runs cancel` and `framework runs retry`: a running bot carries out the request at once, a stopped one at its next start.
 * Resolves with the exit code, which is `failed` if there is no such run, or if the request does not fit its status.
 */
export async function requestRun(given: string, action: RunRequest['action'], options: RunsOptions): Promise<number> {
  const required = action === 'cancel' ? 'waiting' : 'failed'
  const [print, printError] = [printer(options.io), errorPrinter(options.io)]
  return withRun(given, options, async ({ runs, head, ...bot }) => {
    const { botId, ended } = bot
    const { id } = head
    if (ended) {
      printError(`run ${id} cannot be ${past[action]}: its framework dev has exited, and its data was only in memory`)
      return exitCodes.failed
    }
    if (head.status !== required) {
      printError(`run ${id} ${states[head.status]}: only ${required} runs can be ${past[action]}`)
      return exitCodes.failed
    }
    await runs.request(id, { action })
    const isDone = await until(async () => !(await runs.isRequested(id, action)))
    const after = viewOf({ ...bot, runs, head: (isDone ? await runs.head(id) : undefined) ?? head })
    const { status, error } = after
    if (options.json)
      print(JSON.stringify({ id, bot_id: botId, action, done: isDone, status, ...(error !== undefined && { error }) }))
    else if (!isDone)
      print(`run ${id} is not ${past[action]} yet: a busy bot does it soon, and a stopped one when it starts`)
    else {
      const detail = status === 'cancelled' ? '' : printableLine(detailOf(after, systemClock.now()))
      print(`run ${id} ${action === 'retry' ? 'began again, and ' : ''}${states[status]}${detail && `: ${detail}`}`)
    }
    return exitCodes.stopped
  })
}

const past = { cancel: 'cancelled', retry: 'retried' } as const
const states = {
  waiting: 'is waiting',
  done: 'is done',
  failed: 'has failed',
  cancelled: 'is cancelled',
  ended: 'has ended',
} as const

/** Calls `work` with the runs of each bot of the folder, or of the bot of the cluster. */
function withRuns<T>(options: RunsOptions, work: (bots: BotRuns[]) => Promise<T>): Promise<T> {
  const withRunsOf = (bots: BotStore[]) => work(bots.map((bot) => ({ ...bot, runs: new RunStore(bot.store) })))
  return withStores({ who: 'framework runs', idsIn: botIdsIn }, options, withRunsOf)
}

async function withRun(id: string, options: RunsOptions, work: (found: Found) => Promise<number>): Promise<number> {
  return withRuns(options, async (bots) => {
    const found: Found[] = []
    for (const bot of bots) for (const head of await headsWith(bot.runs, id)) found.push({ ...bot, head })
    const [one, ...others] = found
    if (one && others.length > 0) {
      const sameBot = others.every(({ botId }) => botId === one.botId)
      const fix = sameBot
        ? `several files have a run of event ${id}: pass ${found.map(({ head }) => head.id).join(' or ')}`
        : `${found.length} bots have a run ${id}: pass --bot ${found.map(({ botId }) => botId).join(' or --bot ')}`
      throw new BotwrightError('ERR_CONFIG', fix)
    }
    if (one) return work(one)
    errorPrinter(options.io)(`no run ${id} is stored; framework runs list shows those that are`)
    return exitCodes.failed
  })
}

/** The run with this id, or those of event handlers whose event has it: their ids also have the file. */
async function headsWith(runs: RunStore, id: string): Promise<RunHead[]> {
  const head = await runs.head(id)
  if (head) return [head]
  const next = await runs.heads({ after: `${id}:`, limit: PAGE })
  return next.filter((one) => one.id.startsWith(`${id}:`))
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

const viewOf = ({ botId, head, ended }: Found): RunView & { bot_id: string } => ({
  ...runView(head, ended),
  bot_id: botId,
})

const printer =
  ({ stdout }: ProgramIo) =>
  (text: string) =>
    void stdout.write(`${text}\n`)
const errorPrinter =
  ({ stderr }: ProgramIo) =>
  (text: string) =>
    void stderr.write(`${printableBlock(text)}\n`)
