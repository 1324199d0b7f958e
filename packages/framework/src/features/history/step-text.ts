import { cut, printableLine, shortened } from '@botwright/protocol/facts'
import type {
  MissedQuestion,
  NearSubcommand,
  PassedTo,
  TimelineResult,
  TimelineStep,
  TimelineValue,
  UnmatchedReason,
  WaitFor,
} from '@botwright/protocol/timeline'
import { durationText } from '../../author/time/duration.ts'
import { answerWords } from './call-words.ts'
import { differing } from './differing.ts'
import { localTime } from './local-time.ts'

type Wordless<S> = S extends TimelineStep ? Omit<S, 'text'> : never

/** A step whose line is not written yet. */
export type WordlessStep = Wordless<TimelineStep>

const LONGEST_VALUE = 100

/** A step in one line of English. */
export function stepText(step: WordlessStep): string {
  return printableLine(words(step))
}

function words(step: WordlessStep): string {
  switch (step.kind) {
    case 'received': {
      const again = step.attempt === undefined ? '' : `, attempt ${step.attempt}`
      return step.lateMs === undefined
        ? `received${again}`
        : `received ${durationText(step.lateMs)} after its creation${again}`
    }
    case 'queued':
      return step.behind === undefined ? 'waited for a free handler' : `waited in its queue for event ${step.behind}`
    case 'matched':
      return `matched ${step.file}${step.near ? `; ${subcommandWords(step.near)}` : ''}`
    case 'unmatched':
      if (step.to) return passedWords(step.to)
      if (step.file !== undefined && step.reason !== 'gathered')
        return `${step.file} does not run: ${step.rule ?? 'another bot wrote the message'}`
      if (step.missed) return `${unmatched[step.reason]}; ${missedWords(step.missed)}`
      return step.near === undefined
        ? unmatched[step.reason]
        : `${unmatched[step.reason]}; the nearest is /${step.near}`
    case 'middleware':
      return `middleware ${step.file}`
    case 'guard':
      return step.passed
        ? `guard passed: ${step.rule}`
        : `guard refused: ${step.rule}${step.leftMs === undefined ? '' : ` (${durationText(step.leftMs)} left)`}`
    case 'handler':
      return `handler ${step.at ?? step.file}${step.input === undefined ? '' : ` with ${shown(step.input)}`}`
    case 'state':
      return stateWords(step)
    case 'continued':
      return `run ${step.run} of ${step.file} ${step.restarted ? 'began again' : 'continued from its record'}${step.answer === undefined ? '' : ` for event ${step.answer}`}`
    case 'wait':
      return waitWords(step)
    case 'call':
      return answerWords({ ...step, input: step.input, ms: step.ms ?? 0 }) + responseWords(step.response)
    case 'finished':
      return step.error === undefined ? results[step.result] : `${results[step.result]}: ${step.error}`
  }
}

const MOST_NAMES = 10

/** The names in a list that was read: ` → general, random`. Empty for other responses. */
function responseWords(response: unknown): string {
  if (typeof response !== 'object' || response === null) return ''
  const list = Object.values(response).find((value) => Array.isArray(value)) as readonly unknown[] | undefined
  const names = list?.flatMap((one) => nameOf(one) ?? []) ?? []
  if (names.length === 0) return list?.length === 0 ? ' → none' : ''
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return ` → ${names.slice(0, MOST_NAMES).join(', ')}${more}`
}

function nameOf(one: unknown): string | undefined {
  if (typeof one !== 'object' || one === null) return undefined
  const { name, username } = one as { name?: unknown; username?: unknown }
  return [name, username].find((text) => typeof text === 'string')
}

function stateWords({ action, key, before, after }: WordlessStep & { kind: 'state' }): string {
  switch (action) {
    case 'get':
      return before === undefined ? `state ${key} is not set` : `state ${key} is ${shown(before)}`
    case 'set':
      return before === undefined ? `state ${key} = ${shown(after)}` : `state ${key}: ${changeWords(before, after)}`
    case 'delete':
      return before === undefined ? `state ${key} deleted` : `state ${key} deleted: was ${shown(before)}`
    case 'list':
      return `state ${key}… listed`
  }
}

function shown(value: TimelineValue | undefined): string {
  if (value === undefined) return 'nothing'
  return 'cut' in value ? `${cut(value.json, LONGEST_VALUE)}…` : shortened(jsonOf(value), LONGEST_VALUE)
}

const jsonOf = (value: TimelineValue): string => ('cut' in value ? `${value.json}…` : JSON.stringify(value.value))

/** Two values, around the place where they differ. */
function changeWords(before: TimelineValue, after: TimelineValue | undefined): string {
  if (after === undefined) return `${shown(before)} → nothing`
  const [one, other] = [jsonOf(before), jsonOf(after)]
  // Only their beginnings are recorded.
  if (one === other && 'cut' in before)
    return `${shown(before)} changed after its first ${before.json.length} of ${before.length} characters`
  return differing(one, other, LONGEST_VALUE).join(' → ')
}

const unmatched: Readonly<Record<UnmatchedReason, string>> = {
  no_command: 'no file handles this command',
  no_file: 'no file handles this event',
  closed_question: 'the question with this button is closed: it was answered or replaced, or has expired',
  own_event: 'ignored: the bot caused this event itself',
  bot_message: 'ignored: another bot wrote it, and answerBots is off',
  bot_loop: 'ignored: another bot and this one answer each other',
  for_waiting_handler: 'passed to the handler that waited for it',
  skipped: 'skipped by the catchUp settings',
  set_aside: 'set aside without running',
  condition: 'a condition of its file did not pass',
  gathered: 'gathered: its file runs with the whole burst',
}

function passedWords({ event, file, run, instance }: PassedTo): string {
  const handler = run === undefined ? `the handler of event ${event} in ${file}` : `run ${run} of ${file}`
  return `passed to ${handler}, which waited for it${instance === undefined ? '' : `, on instance ${instance}`}`
}

/** `/tea has the subcommands black, green; did you mean /tea black?` */
export function subcommandWords({ command, near, subcommands }: NearSubcommand): string {
  const more = subcommands.length > MOST_NAMES ? ', …' : ''
  const names = `${subcommands.length === 1 ? 'subcommand' : 'subcommands'} ${subcommands.slice(0, MOST_NAMES).join(', ')}${more}`
  return `/${command} has the ${names}; did you mean /${command} ${near}?`
}

/** `the question “Small or large?” (commands/order.ts:7) had timed out at 2026-11-26 06:04:41`. */
export function missedWords({ why, at, place, text }: MissedQuestion): string {
  const name = `the question${text === undefined ? '' : ` “${text}”`}${place === undefined ? '' : ` (${place})`}`
  return `${name} had ${ends[why]} at ${localTime(Date.parse(at))}`
}

const ends: Readonly<Record<MissedQuestion['why'], string>> = {
  timed_out: 'timed out',
  replaced: 'been replaced by a newer one (or its handler had ended)',
  cancelled: 'been cancelled',
}

type Wait = WordlessStep & { kind: 'wait' }

/** In the present tense until it ends. */
function waitWords(step: Wait): string {
  const isOpen = step.ms === undefined
  const waits = isOpen ? 'waits for' : 'waited for'
  if (step.for === 'budget') return `${waits} the message budget`
  const { at, untilMs, name } = step
  const place = ` (ctx.${members[step.for]}${at === undefined ? '' : ` at ${at}`})`
  switch (step.for) {
    case 'stream':
      return `${isOpen ? 'streams' : 'streamed'} text${place}`
    case 'step':
      return `${isOpen ? 'runs' : 'ran'} the step "${name ?? ''}"${place}`
    case 'sleep':
      return `${isOpen ? 'sleeps' : 'slept'}${untilMs === undefined ? '' : ` ${durationText(Math.round(untilMs - step.atMs))}`}${place}`
    default:
      return `${waits} ${awaitedWords(step)}${place}${step.unanswered ? `: ${pastEnds[step.unanswered.why]}` : ''}`
  }
}

const pastEnds: Readonly<Record<MissedQuestion['why'], string>> = {
  timed_out: 'timed out',
  replaced: 'replaced by a newer question, or the handler ended',
  cancelled: 'cancelled',
}

/** The end of a wait: `an answer from ann in #general`. */
export const awaitedWords = ({ for: kind, what }: Pick<Wait, 'for' | 'what'>): string => what ?? awaited[kind]

const awaited: Readonly<Record<WaitFor, string>> = {
  answer: 'an answer',
  approval: 'a decision',
  budget: 'the message budget',
  choice: 'a choice',
  click: 'a click',
  sleep: 'a time',
  step: 'the end of a step',
  stream: 'the end of a stream',
}

const members = {
  answer: 'ask',
  approval: 'approve',
  choice: 'choose',
  click: 'clicked',
  sleep: 'sleep',
  step: 'step',
  stream: 'stream',
} as const

const results: Readonly<Record<TimelineResult, string>> = {
  ok: 'finished',
  error: 'failed',
  refused: 'refused',
  timed_out: 'timed out',
  crashed: 'crashed; it runs again',
  dead_lettered: 'set aside after its last attempt',
  skipped: 'skipped',
  none: 'ended: no file handled it',
  passed: 'ended: a waiting handler received it',
  unfinished: 'not finished',
}
