// The timeline of one event: what a bot did for it, step by step. One format for the command line, the page, the HTML file and programs.

/** The version of the format. A change that breaks readers raises it; readers ignore kinds of steps and fields that they do not know. */
export const TIMELINE_VERSION = 1

/**
 * The result of an event. `none`: no file handles it. `passed`: a handler had waited for it, and now waits again or has ended.
 * `unfinished`: its handler is still running or waits, or the process ended.
 */
export type TimelineResult =
  | 'ok'
  | 'error'
  | 'refused'
  | 'timed_out'
  | 'crashed'
  | 'dead_lettered'
  | 'skipped'
  | 'none'
  | 'passed'
  | 'unfinished'

/** Everything recorded about one event. All of it is plain JSON. */
export interface Timeline {
  version: typeof TIMELINE_VERSION
  event: TimelineEvent
  bot: { id: string; username: string; baseUrl: string }
  result: TimelineResult
  /** The file that handled it. */
  file?: string
  /** The run time of its handler, in milliseconds. */
  ms?: number
  /** In order of `atMs`. */
  steps: TimelineStep[]
  /** Set if its handler failed. */
  failure?: TimelineFailure
  /** The recording has only calls and the result: an older release wrote it. */
  brief?: true
}

/** The event of a timeline. */
export interface TimelineEvent {
  /** Its number in this recording. Increases in the order in which events were received. */
  seq: number
  /** Its id at the service. */
  id: number
  type: string
  /** In a few words: `/ping`, `click vote`, `member_join`. */
  title: string
  /** Its user and channel, as far as the event contains them: `ann → #general`. */
  who?: string
  created_at: string
  /** When the bot received it, as ISO 8601. */
  received_at: string
  /** The event's data without tokens; left out if it was too long to record. */
  data?: Record<string, unknown>
}

/** The fields of every step. */
interface StepBase {
  /** When it began, in milliseconds after the bot received the event. */
  atMs: number
  /** How long it took; left out for moments, and for what has not ended. */
  ms?: number
  /** The step in one line of English, without line breaks and control characters. */
  text: string
  /** The line of the bot's own code, `commands/ping.ts:12`, or the file alone. */
  at?: string
  /** The address that opens `at` in an editor. Added by a reader on the computer that has the file. */
  link?: string
}

/** A recorded value. `cut`: it was too long; `json` is the beginning of its JSON. */
export type TimelineValue = { value: unknown } | { cut: true; json: string; length: number }

/** Why an event started no file. */
export type UnmatchedReason =
  | 'no_command'
  | 'no_file'
  | 'closed_question'
  | 'own_event'
  | 'bot_message'
  | 'bot_loop'
  | 'for_waiting_handler'
  | 'skipped'
  | 'set_aside'
  | 'condition'
  | 'gathered'

/** A command that runs by itself got an argument that is almost the name of a subcommand. */
export interface NearSubcommand {
  /** `tea` */
  command: string
  /** The subcommand that was probably meant. */
  near: string
  /** All subcommands that `/help` lists. */
  subcommands: readonly string[]
}

/** How a question ended without an answer. `replaced`: by a newer question to the same person, or because its handler ended. */
export interface Unanswered {
  why: 'timed_out' | 'replaced' | 'cancelled'
  /** When, by the clock of the bot, as ISO 8601. */
  at: string
}

/** A question that had ended without an answer before the event came. */
export interface MissedQuestion extends Unanswered {
  /** The line of the bot's own code that asked it. */
  place?: string
  /** The beginning of its text. */
  text?: string
}

/** The handler that an event was passed to, because it waited for it. */
export interface PassedTo {
  /** The event that started the handler: its id, followed by `@` and its era if the service's ids have started again. */
  event: number | string
  file: string
  /** The id of its durable run. */
  run?: string
  /** The instance of a cluster that continues it, if it is another one. Its steps are in the recording of that instance. */
  instance?: string
}

/** The cause of a wait. */
export type WaitFor = 'budget' | 'answer' | 'choice' | 'click' | 'stream' | 'sleep' | 'approval' | 'step'

/** One step of a timeline; `kind` names its fields. */
export type TimelineStep = StepBase &
  (
    | {
        kind: 'received'
        /** How long after its creation, if the bot was down or slow to poll, in milliseconds. */
        lateMs?: number
        /** 2 or more if the event was delivered before. */
        attempt?: number
      }
    | {
        kind: 'queued'
        /** The event that its queue waited for. */
        behind?: number
      }
    | {
        kind: 'matched'
        file: string
        /** Of a command: its first argument is almost one of its subcommands. */
        near?: NearSubcommand
      }
    | {
        kind: 'unmatched'
        reason: UnmatchedReason
        /** The closest command. */
        near?: string
        /** The file that does not run, if others may: because of this rule, with `condition`. */
        file?: string
        rule?: string
        /** With `for_waiting_handler`: the handler. The steps until it waited again, or ended, follow. */
        to?: PassedTo
        /** The question that the event would have answered. Added by a reader of the recording. */
        missed?: MissedQuestion
      }
    | {
        /** A durable run continued: its function had been dropped, its process had ended, or it began again. */
        kind: 'continued'
        run: string
        file: string
        /** The event for which it had waited; left out if it continued because of the time or of a request. See `PassedTo`. */
        answer?: number | string
        /** It has no record, and so runs from its beginning: after `ctx.continueAs`, or because a failed run was run again. */
        restarted?: true
      }
    | { kind: 'middleware'; file: string }
    | {
        kind: 'guard'
        file: string
        /** The rule: `only in servers`. */
        rule: string
        passed: boolean
        /** Of a cooldown: the time until the next use, in milliseconds. */
        leftMs?: number
      }
    | {
        kind: 'handler'
        file: string
        /** The args of a command, or the params of a button. Left out if it has none. */
        input?: TimelineValue
      }
    | {
        kind: 'state'
        action: 'get' | 'set' | 'delete' | 'list'
        key: string
        /** Left out if there was none, or if it is unknown. */
        before?: TimelineValue
        after?: TimelineValue
      }
    | {
        kind: 'wait'
        for: WaitFor
        /** When it ends at the latest, in milliseconds after the event was received. */
        untilMs?: number
        /** Its end: `an answer from ann in #general`. */
        what?: string
        /** The name of a step: `ctx.step('book', …)`. */
        name?: string
        /** Left out if it was answered, or lasts. */
        unanswered?: Unanswered
      }
    | {
        kind: 'call'
        /** The endpoint: `messages.create`. */
        name: string
        /** Left out if it was too long to record. */
        input?: unknown
        /** Whether it has a visible effect, rather than only reading. */
        answers: boolean
        ok: boolean
        /** The HTTP status of a failed call. */
        status?: number
        /** The error code of a failed call, and its message. */
        code?: string
        error?: string
        /** The id of the message or channel that it created. */
        created?: string
        /** When the quiet hours end that the message waits for, as ISO 8601. */
        held_until?: string
        /** How many requests were sent, if more than one. */
        attempts?: number
        /** The response, if the call only reads. */
        response?: unknown
      }
    | {
        kind: 'finished'
        result: TimelineResult
        /** The message of the error, or the reason of a refusal. */
        error?: string
      }
  )

/** The kind of a step. */
export type StepKind = TimelineStep['kind']

/** Why a handler failed. */
export interface TimelineFailure {
  message: string
  /** The class of the error: `TypeError`. */
  name?: string
  /** Its stable code: `ERR_ARGS`. */
  code?: string
  /** The line of the bot's own code that threw. */
  at?: string
  link?: string
  /** The reference that the user was given. */
  reference?: string
  /** The lines around `at` when it was thrown. */
  frame?: { line: number; column?: number; lines: { number: number; text: string }[] }
  /** The chain of causes, outermost first. */
  causes: { name?: string; message: string; at?: string }[]
  stack?: string
}

type OwnFields<S> = S extends { kind: infer K extends StepKind }
  ? { [P in K]: readonly Exclude<keyof S, keyof StepBase | 'kind'>[] }
  : never
type Together<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer A) => void ? A : never

/** The results of events that failed. */
export const failedResults: ReadonlySet<TimelineResult> = new Set<TimelineResult>([
  ...(['error', 'timed_out', 'crashed', 'dead_lettered'] as const),
])

/**
 * Whether no file handled an event, and no person waits for an answer to it: lists fold such events. A person who types a command or clicks
 * a button expects an answer. `title`: as in `TimelineEvent`.
 */
export const isUnhandled = ({ result, type, title }: { result: string; type: string; title: string }): boolean =>
  result === 'none' && type !== 'interaction' && !title.startsWith('/')

/** The fields of each kind of step, besides those of every step. */
export const stepFields = {
  received: ['lateMs', 'attempt'],
  queued: ['behind'],
  matched: ['file', 'near'],
  unmatched: ['reason', 'near', 'file', 'rule', 'to', 'missed'],
  continued: ['run', 'file', 'answer', 'restarted'],
  middleware: ['file'],
  guard: ['file', 'rule', 'passed', 'leftMs'],
  handler: ['file', 'input'],
  state: ['action', 'key', 'before', 'after'],
  wait: ['for', 'untilMs', 'what', 'name', 'unanswered'],
  call: ['name', 'input', 'answers', 'ok', 'status', 'code', 'error', 'created', 'held_until', 'attempts', 'response'],
  finished: ['result', 'error'],
} as const satisfies Together<OwnFields<TimelineStep>>

/** Editors that open a file by a link. Other schemes could run a script in the page or start any program. */
const editors =
  'vscode vscode-insiders vscodium cursor windsurf zed idea webstorm phpstorm jetbrains fleet nova subl txmt mvim emacs'.split(
    ' ',
  )

/** Whether a text is a link that opens an editor: its scheme is that of a known editor, such as `vscode:`. */
export const isEditorLink = (link: string): boolean => editors.includes(link.slice(0, link.indexOf(':')).toLowerCase())
