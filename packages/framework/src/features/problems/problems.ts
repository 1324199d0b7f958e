import { networkFix } from '@botwright/protocol/network-fix'
import { basename } from 'node:path'
import type { BotFacts } from '../../runtime/ports/bot-facts.ts'
import { reasons } from '../stored-state/sqlite-store.ts'
import type { LostAccess } from '../access/access-watch.ts'
import type { BudgetMinute } from './budget-minutes.ts'
import type { FaultKind, FileRuns, FailingFile } from './file-runs.ts'
import { clockAheadSeconds, type HealthFacts } from './health-facts.ts'
import { type Obstacle, obstaclesOf } from './obstacles.ts'
import { type QueueView, slowestText } from './queues.ts'
import type { Sender } from './senders.ts'

/** Something that an operator should fix, with a stable code. */
export interface Problem {
  code:
    | Obstacle['code']
    | 'no_leader'
    | 'handler_blocked'
    | 'handler_out_of_memory'
    | 'handler_crashed'
    | 'handler_failing'
    | 'webhook_secret'
    | 'access_lost'
    | 'clock_wrong'
    | 'budget_used_up'
    | 'rate_limited'
    | 'dead_letters'
  text: string
  fix: string
  /** The first and the last error, which may quote what a person wrote: only for those with the control token. */
  errors?: FailingFile['errors']
  /** The last events that failed: also only for those. */
  events?: FailingFile['events']
}

const HOUR_MS = 60 * 60_000
/** Clocks of two machines differ slightly, and dates of HTTP are in whole seconds. */
const CLOCK_SECONDS = 10

/** What to do about each problem, if its cause is not known; docs/control-room.md has the same rows. */
export const fixes: Readonly<Record<Problem['code'], string>> = {
  starting: 'Wait. If it takes longer than a minute, read the log: the service or Redis may not respond.',
  stopping: 'Wait until the process manager restarts the bot, or check its log to see why it was stopped.',
  no_poll: 'Check BOT_BASE_URL and the network between the bot and the service.',
  service_unreachable:
    'Check whether the service is available. The bot recovers by itself when the service responds again.',
  journal_failing: 'Free some disk space, or make the state folder writable again.',
  cluster_unreachable: 'Restart Redis, or fix the network to it. The instances recover by themselves.',
  lease_lost: 'Wait a few seconds: the instance rejoins. If it does not, check the load and the clock of its host.',
  handlers_slow: 'Look for a slow file below. Raise limits.workers, or start more instances.',
  token_refused: 'Copy the new token from the Developer screen into BOT_TOKEN and restart the bot.',
  no_leader: 'Wait a few seconds: the instances elect a leader. If they do not, check their logs.',
  handler_blocked: 'Find the loop without await or the slow synchronous call in that file.',
  handler_out_of_memory:
    'Find the memory leak in that file: a list or a map that grows with each event. If the bot needs more, set NODE_OPTIONS=--max-old-space-size=8192.',
  handler_crashed: 'Find the process.exit or the uncaught error in that file; the log has more about the error.',
  handler_failing:
    'Fix the line that the error names; the log has its stack, by the reference. If the bot records events, framework replay --event ID --dry shows what the new code does.',
  webhook_secret:
    'Copy the webhook secret from the Developer screen into BOT_WEBHOOK_SECRET and restart the bot. Polls bring the events meanwhile.',
  access_lost:
    'Ask a manager of the server to give the role or the channel back, unless that was intended. The problem ends after a day.',
  clock_wrong: 'Synchronize the clock of this host (NTP): certificates and the deadlines of clicks depend on it.',
  budget_used_up:
    'Send fewer messages: edit one message instead of sending many, or use ctx.broadcast for announcements.',
  rate_limited:
    'The last failures below contain the reason that the service gave. Check whether another process uses the same token.',
  dead_letters: 'Fix the cause, then replay the events with framework replay.',
}

/** The fixes of handlers that fail with these codes. */
const failingFixes: Readonly<Record<string, string>> = {
  ERR_STATE_VALUE:
    'A stored value does not fit the code. Its error has the owner: read the value with framework state get, then correct it with framework state set, or in migrate of the state.',
  ERR_STATE:
    'The stored data cannot be read or written: the log has the reason, and framework doctor checks the files.',
  ERR_FORBIDDEN:
    'The bot lacks a channel or a permission: framework doctor shows what it has in each server, and what it has lost within the last day.',
}

const faultCodes = {
  blocked: 'handler_blocked',
  out_of_memory: 'handler_out_of_memory',
  crashed: 'handler_crashed',
} as const satisfies Record<FaultKind, Problem['code']>

/** Everything that a bot has seen of its problems. */
export interface Seen {
  files: FileRuns
  /** Lost channels, permissions and servers. */
  lost: readonly LostAccess[]
  /** The servers of the bot; none before the first look. */
  servers: readonly { id: string; name: string }[]
  /** The longest queues. */
  queues: readonly QueueView[]
  /** The file that sent most of the messages of the last minute. */
  sender: Sender | undefined
  /** Whether calls are counted by file, which only a bot with a control room does. */
  countsCalls: boolean
  minutes: readonly BudgetMinute[]
  /** Removes secrets. */
  clean: (text: string) => string
}

/** Everything that an operator should fix, the cause before its effects. */
export function problemsOf(
  facts: HealthFacts,
  { files, lost, servers, queues, sender, countsCalls, minutes, clean }: Seen,
): Problem[] {
  const { bot, monotonicMs } = facts
  const problems: Problem[] = []
  const add = (code: Problem['code'], text: string, more?: Partial<Pick<Problem, 'fix' | 'errors' | 'events'>>) =>
    problems.push({ code, text: clean(text), fix: fixes[code], ...more })
  for (const { code, text, fix } of obstaclesOf(facts))
    add(
      code,
      sentence(code === 'handlers_slow' ? withQueue(text, queues) : text),
      fix === undefined ? {} : { fix: sentence(fix) },
    )
  const { pollFailure } = bot?.stats ?? {}
  if (
    pollFailure !== undefined &&
    !problems.some(({ code }) => ['no_poll', 'service_unreachable', 'token_refused'].includes(code))
  ) {
    // The bot is ready until no poll has succeeded for some time.
    const fix = networkFix(pollFailure)
    add('service_unreachable', sentence(pollFailure), fix === undefined ? {} : { fix: sentence(fix) })
  }
  const cluster = bot?.cluster?.cluster
  if (cluster && cluster.leader === undefined) add('no_leader', 'No instance is the leader, so no events are read')
  for (const { file, kind, message, line } of files.faulty(monotonicMs - HOUR_MS))
    add(
      faultCodes[kind],
      `${file} ${message.replace(/ (?:with an )?uncaught error: .*/s, ' with an uncaught error')}${line === file ? '' : ` at ${line}`} (within the last hour)`,
    )
  for (const failing of files.failing(monotonicMs, clean)) {
    const { file, line, runs, failures, people, errors, code, events } = failing
    const whom = people > 0 ? `, for ${count(people, 'person', 'people')}` : ''
    const server = servers.length > 1 ? servers.find(({ id }) => id === failing.server) : undefined
    const where = server ? `, only in the server "${server.name}"` : ''
    const store = code === 'ERR_STATE' ? storeFailure(errors.last.message) : undefined
    const fix = store?.fix ?? failingFixes[code ?? '']
    add(
      'handler_failing',
      `${file} fails: ${failures} of ${count(runs, 'run')} within the last hour${whom}${where}${line === file ? '' : `; the last error was at ${line}`}${store ? `: ${store.cause}` : ''}`,
      { errors, events, ...(fix !== undefined && { fix }) },
    )
  }
  const { wrongSecret = 0, lastAcceptedMs = -Infinity, lastWrongSecretMs = -Infinity } = bot?.webhook ?? {}
  if (lastWrongSecretMs > Math.max(lastAcceptedMs, monotonicMs - HOUR_MS))
    add(
      'webhook_secret',
      `The signature of ${count(wrongSecret, 'event webhook')} does not match BOT_WEBHOOK_SECRET, and none has been accepted since`,
    )
  for (const { server, lost: what } of lost)
    add('access_lost', `In the server "${server}" the bot has lost ${what.join(', ')}`)
  const ahead = Math.round(clockAheadSeconds(facts) ?? 0)
  if (Math.abs(ahead) >= CLOCK_SECONDS)
    add(
      'clock_wrong',
      `The clock of this host is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the service`,
    )
  if (bot && bot.rest.waiting > 0) add('budget_used_up', budgetText(bot.rest, sender, countsCalls))
  const refused = minutes.reduce((sum, { rate_limited }) => sum + rate_limited, 0)
  if (refused > 0)
    add('rate_limited', `The service answered ${count(refused, 'request')} with 429 within the last hour`)
  if (bot && bot.setAside > 0)
    add('dead_letters', `${count(bot.setAside, 'event')} set aside after the last attempt failed`)
  return problems
}

/** The file, the reason and the fix of the log, in which nothing is from a person; undefined for other reasons. */
function storeFailure(message: string): { cause: string; fix: string } | undefined {
  const reason = Object.values(reasons).find((one) => message.endsWith(`: ${one}`))
  if (reason === undefined) return undefined
  const [cause = '', fix = ''] = reason.split(': ')
  const file = message.slice(0, -reason.length - 2)
  return { cause: `${basename(file)}: ${cause}`, fix: sentence(fix) }
}

/** Messages wait for the budget, also while the slots that broadcasts cannot use are free. */
function budgetText(
  { used, limit, waiting, freeInMs }: BotFacts['rest'],
  sender: Sender | undefined,
  countsCalls: boolean,
): string {
  const seconds = Math.ceil(freeInMs / 1000)
  const free = seconds > 120 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`
  const state =
    used >= limit
      ? `${count(waiting, 'message')} waiting for the message budget, which is used up (${used} of ${limit}); the next slot is free in ${free}`
      : `${count(waiting, 'message')} waiting for the message budget: ${used} of ${limit} slots are used, and the others are reserved for replies`
  if (!countsCalls) return `${state}. The file that sends the most is known with a control room (BOT_CONTROL_TOKEN)`
  // The budget is that of the bot: it has the messages of all instances, and those of before the start.
  if (!sender || used - sender.total > sender.sent)
    return `${state}. Most of it was used by broadcasts, by other instances or before the start`
  const person = sender.person === undefined ? '' : `, most of them for the user ${sender.person}`
  return `${state}. ${sender.file ?? 'A file'} sent the most messages: ${sender.sent} within the last minute${person}`
}

const withQueue = (text: string, queues: readonly QueueView[]): string =>
  [text, slowestText(queues) ?? []].flat().join('; ')

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`
const count = (number: number, noun: string, plural = `${noun}s`): string => `${number} ${number === 1 ? noun : plural}`
