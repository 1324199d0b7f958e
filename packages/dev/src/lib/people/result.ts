import { setTimeout as sleep } from 'node:timers/promises'
import { isBotwrightError } from '@botwright/protocol/facts'
import { failedResults, type WaitFor } from '@botwright/protocol/timeline'
import type { ClickState } from '@botwright/service/people'
import {
  answersOf,
  awaitedWords,
  localTime,
  type RecordedCall,
  type RecordedEvent,
  subcommandWords,
  timelineOf,
} from '@botwright/framework/replay'
import { type CodeProblem, errorsSince, keptProblems } from '../problems/code-problems.ts'
import { accessTo } from '../local-service/service-access.ts'
import { duration } from '../terminal/terminal.ts'
import type { Action } from './actions.ts'
import { type BotAtService, type BotSearch, findBot } from './bot-at-service.ts'
import { eventOfAction, openWaits, Recording } from './recording.ts'
import type { PersonAtService } from './person.ts'
import { watchAnswers } from './watch-answers.ts'
import {
  whyNotReceived,
  hasEventWebhook,
  isDown,
  whyUndelivered,
  whyRefused,
  whyUnanswered,
  unknownCommandOf,
} from './why.ts'

/** Where an action is followed: with the recording of the folder, or through the people's side alone. */
export interface Following extends BotSearch {
  /** Undefined if the service is not that of the folder. */
  recording: Recording | undefined
  /** The longest time for the bot's handler, in ms. */
  waitMs: number
}

/** The result of an action of a person. */
export interface Result {
  action: Action
  /** `waiting`: without an answer, its handler waits for a time or a person. */
  outcome: 'answered' | 'waiting' | 'nothing' | 'failed'
  /** Undefined if the bot has not received it, or if only the people's side is known. */
  event: RecordedEvent | undefined
  /** The visible calls of the bot. */
  answers: readonly RecordedCall[]
  /** Why there is no answer, or which guard refused. */
  why?: string
  /** False if the end of the handler is not visible from where the action was followed. */
  certain: boolean
  /** The problems of the newest code, if the bot runs an older one, or none. */
  problems: readonly CodeProblem[]
  /** That the person may have meant a subcommand. */
  hint?: string
  /** Errors that the bot logged meanwhile, and that are about no event. */
  errors: readonly string[]
}

/** Opens the recording of a folder if the service is its own. */
export async function openRecording(io: BotSearch['io'], service: URL): Promise<Recording | undefined> {
  return (await accessTo(io, service))?.local ? new Recording(io.cwd) : undefined
}

/** Does something as a person, and follows it until the bot has handled it. */
export async function follow(person: PersonAtService, run: () => Promise<Action>, at: Following): Promise<Result> {
  const { io, recording, waitMs } = at
  const folder = io.cwd
  if (!recording) return followFromOutside(person, run, at)
  const { id: botId } = await findBot(person, at)
  const since = recording.lastSeq
  const beganMs = Date.now()
  const action = await run()
  const done = { action, certain: true, problems: keptProblems(folder), errors: [] }
  const nothing = { ...done, outcome: 'nothing', event: undefined, answers: [] } as const
  const obstacle = await whyUndelivered(person, action, botId)
  if (obstacle !== undefined) return { ...nothing, why: obstacle }
  const recorded = await eventOfAction(recording, action, { since, waitMs, isDown: () => isDown(person, botId) })
  if (!recorded) return { ...nothing, why: await whyNotReceived(person, botId, { problems: done.problems, waitMs }) }
  const event = withLine(recorded)
  const answers = answersOf(event.calls)
  await sleep(AFTER_MS)
  const errors = errorsSince(folder, beganMs)
  const hint = hintOf(event)
  const result = {
    ...done,
    event,
    answers,
    errors: errors.map(({ text }) => text),
    ...(hint !== undefined && { hint }),
  }
  const isFailed = hasFailed(event) || errors.some(({ thrown }) => thrown)
  const outcome = isFailed ? 'failed' : answers.some(({ code }) => code === undefined) ? 'answered' : 'nothing'
  if (hasFailed(event)) return { ...result, outcome }
  if (event.result === 'refused') return { ...result, outcome, why: whyRefused(event) }
  if (event.result === 'unfinished') {
    const { why, isWaiting } = whyUnfinished(recording, event)
    return { ...result, outcome: outcome === 'nothing' && isWaiting ? 'waiting' : outcome, why }
  }
  if (outcome !== 'nothing' || event.result === 'passed') return { ...result, outcome }
  return { ...result, outcome, why: await whyUnanswered(person, recording.withMissedQuestion(event)) }
}

/** An event whose handler has not ended, or that has failed without an error, with the line of its handler. */
function withLine(event: RecordedEvent): RecordedEvent {
  if (event.at !== undefined || !(event.result === 'unfinished' || hasFailed(event))) return event
  const step = timelineOf(event).steps.findLast(({ kind }) => kind === 'handler')
  return step?.kind === 'handler' ? { ...event, file: step.file, at: step.at ?? step.file } : event
}

function hintOf(event: RecordedEvent): string | undefined {
  const step = timelineOf(event).steps.find(({ kind }) => kind === 'matched')
  return step?.kind === 'matched' && step.near ? subcommandWords(step.near) : undefined
}

/** Where the handler of an event is: in its queue, waiting for a time or a person, or running. */
function whyUnfinished(recording: Recording, event: RecordedEvent): { why: string; isWaiting: boolean } {
  const ahead = queuedBehind(recording, event)
  if (ahead !== undefined) return { why: ahead, isWaiting: false }
  // The record of a run that an answer has continued begins with that answer.
  const [whole = event] = recording.events({ seqs: [event.seq] })
  const [wait, ...others] = openWaits(whole)
  const at = event.at ?? 'its handler'
  if (!wait) return { why: `${at} is still running`, isWaiting: false }
  const { received_at } = timelineOf(whole).event
  const until = (untilMs = 0) => localTime(Date.parse(received_at) + untilMs)
  const what =
    wait.for === 'step'
      ? `runs the step "${wait.name ?? ''}"`
      : wait.for === 'stream'
        ? 'streams text'
        : wait.for === 'sleep'
          ? `sleeps until ${until(wait.untilMs)}`
          : `waits for ${awaitedWords(wait)}`
  const more = others.length === 0 ? '' : `, and for ${others.length} more`
  return { why: `${wait.at ?? at} ${what}${more}`, isWaiting: !working.has(wait.for) }
}

/** The waits in which a handler works. */
const working: ReadonlySet<WaitFor> = new Set(['budget', 'step', 'stream'])

/** That an event waits in its queue, for which one, and where its handler is; undefined if it does not wait. */
function queuedBehind(recording: Recording, event: RecordedEvent): string | undefined {
  const { steps } = timelineOf(event)
  const queued = steps.find(({ kind }) => kind === 'queued')
  if (queued?.kind !== 'queued' || queued.behind === undefined || queued.ms !== undefined) return undefined
  const [ahead] = recording.events({ id: queued.behind, limit: 1 })
  const at = ahead && withLine(ahead).at
  return `the event waits in its queue until event ${queued.behind} has ended${at === undefined ? '' : `: ${at} is still running`}`
}

/** A promise that a handler did not await is rejected soon after its end. */
const AFTER_MS = 50

/** Whether the handler of an event failed. */
export const hasFailed = ({ result }: RecordedEvent): boolean => failedResults.has(result)

/** Without the recording, answers are what the person sees of bots. */
async function followFromOutside(person: PersonAtService, run: () => Promise<Action>, at: Following): Promise<Result> {
  const { action, answers, state } = await watchAnswers(person, run, at.waitMs)
  const done = { action, answers, event: undefined, problems: [], errors: [] }
  if (answers.length > 0) return { ...done, outcome: 'answered', certain: true }
  const reason = await outsideReason(person, action, at, state)
  if (reason.certain) return { ...done, outcome: 'nothing', ...reason }
  const why = `no answer was visible within ${duration(at.waitMs)}; ${reason.why}`
  return { ...done, outcome: 'nothing', certain: false, why }
}

/** The reason for silence that the people's side shows; `certain` if it is the whole reason. */
async function outsideReason(
  person: PersonAtService,
  action: Action,
  at: Following,
  state: ClickState | undefined,
): Promise<{ why: string; certain: boolean }> {
  let bot: BotAtService
  try {
    bot = await findBot(person, at)
  } catch (error) {
    if (!isBotwrightError(error) || error.code !== 'ERR_CONFIG') throw error
    return { why: error.message, certain: false }
  }
  const obstacle = await whyUndelivered(person, action, bot.id)
  if (obstacle !== undefined) return { why: obstacle, certain: true }
  const down = await isDown(person, bot.id)
  if (down && !(await hasEventWebhook(person, bot.id))) return { why: 'the bot is not running', certain: true }
  if (state === 'failed') return { why: 'the click got no answer within 3 seconds', certain: true }
  const unknown = await unknownCommandOf(person, action.content ?? '', bot.id)
  const isOwn = at.bot === undefined && (await accessTo(at.io, person.service)) !== undefined
  const how = `read the log of the bot${isOwn ? '' : ', or run this in the folder of its "framework dev",'}`
  const unclear = down
    ? 'its events are sent to a webhook, so its handler may still run, or the bot may not be running; see its log'
    : `${how} to see whether a handler ran`
  return { why: unknown ?? unclear, certain: false }
}
