import type { HealthFacts } from '../health-facts.ts'
import { type Obstacle, obstaclesOf } from '../readiness.ts'
import type { BotEnd } from '../../../runtime/ports/bot-facts.ts'
import type { BudgetMinute } from './budget-minutes.ts'
import type { FileRuns } from './file-runs.ts'

/** Something that an operator should fix, with a stable code. */
export interface ControlProblem {
  code:
    | Obstacle['code']
    | 'token_refused'
    | 'no_leader'
    | 'handler_blocked'
    | 'handler_crashed'
    | 'budget_used_up'
    | 'rate_limited'
    | 'dead_letters'
  text: string
  fix: string
}

const HOUR_MS = 60 * 60_000

/** What to do about each problem; docs/control-room.md has the same rows. */
export const fixes: Readonly<Record<ControlProblem['code'], string>> = {
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
  handler_crashed:
    'Find the process.exit, the uncaught error or the memory leak in that file; the log has more about the error.',
  budget_used_up:
    'Send fewer messages: edit one message instead of sending many, or use ctx.broadcast for announcements.',
  rate_limited:
    'The last failures below contain the reason that the service gave. Check whether another process uses the same token.',
  dead_letters: 'Fix the cause, then replay the events with framework replay.',
}

/** Everything that an operator should fix, the cause before its effects. */
export function problemsOf(
  facts: HealthFacts,
  { runs, minutes, end }: { runs: FileRuns; minutes: readonly BudgetMinute[]; end: BotEnd | undefined },
): ControlProblem[] {
  const { bot, nowMs } = facts
  const problems: ControlProblem[] = []
  const add = (code: ControlProblem['code'], text: string) => problems.push({ code, text, fix: fixes[code] })
  const isRefused = end?.reason === 'unauthorized'
  if (isRefused) add('token_refused', "The service rejects the bot's token (401), so the bot stops")
  for (const { code, text } of obstaclesOf(facts))
    if (!isRefused || code !== 'stopping') add(code, `${text[0]!.toUpperCase()}${text.slice(1)}`)
  const cluster = bot?.cluster?.cluster
  if (cluster && cluster.leader === undefined) add('no_leader', 'No instance is the leader, so no events are read')
  for (const { file, blocked, message } of runs.faulty(nowMs - HOUR_MS))
    add(blocked ? 'handler_blocked' : 'handler_crashed', `${file} ${message} (within the last hour)`)
  const rest = bot?.rest
  if (rest && rest.waiting > 0 && rest.used >= rest.limit) {
    const seconds = Math.ceil(rest.freeInMs / 1000)
    const free = seconds > 120 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`
    add(
      'budget_used_up',
      `The message budget is used up (${rest.used} of ${rest.limit}): ${count(rest.waiting, 'message')} waiting; the next slot is free in ${free}`,
    )
  }
  const refused = minutes.reduce((sum, { rate_limited }) => sum + rate_limited, 0)
  if (refused > 0)
    add('rate_limited', `The service answered ${count(refused, 'request')} with 429 within the last hour`)
  if (bot && bot.setAside > 0)
    add('dead_letters', `${count(bot.setAside, 'event')} set aside after the last attempt failed`)
  return problems
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
