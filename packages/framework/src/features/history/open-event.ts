import { preciseTime } from '@botwright/clock'
import type { BotEvent } from '@botwright/events'
import type { RecordedOutcome } from '../../link/recorded-step.ts'
import { plainJson } from '../../link/redaction.ts'

const LONGEST_EVENT = 256 * 1024

/** An event to which steps, calls and an outcome may still be added. */
export class OpenEvent {
  readonly seq: number
  /** The event in JSON, which costs the garbage collector less than its objects. Undefined once it is written. */
  json: string | undefined
  readonly id: number
  readonly attempt: number
  /** When it was received, by the bot's clock and by the machine's, in milliseconds since 1970. */
  readonly atMs: number
  readonly t: number
  /** Its queue. */
  readonly lane: string
  /** The event that its queue waited for when it was received. */
  readonly behind: number | undefined
  started = false
  /** When the run of the last steps began. */
  runMs = 0
  /** The token of a click, kept only in memory to redact it. */
  readonly token: string | undefined
  /** JSON that is not written yet, separated by commas. */
  steps = ''
  calls = ''
  /** Whether its handler has made a call. */
  answers = false
  state: 'none' | 'pending' | 'known' | undefined = undefined
  outcome: RecordedOutcome | 'none' | undefined = undefined
  /** The outcome is not written yet. */
  newOutcome = false
  /** Its outcome is final: a later one comes from a handler that ran on after its timeout. */
  final = false
  /** The file that has failed. The result of another file of the event does not replace its own. */
  failed: string | undefined
  settled = false
  /** How often a durable run of it has continued from its record. */
  continued = 0

  constructor(
    event: BotEvent,
    seq: number,
    facts: Pick<OpenEvent, 'attempt' | 'atMs' | 'lane' | 'behind'> & { t?: number },
  ) {
    this.json = eventJson(event)
    this.seq = seq
    this.id = event.id
    this.attempt = facts.attempt
    this.atMs = facts.atMs
    this.t = facts.t ?? preciseTime()
    this.lane = facts.lane
    this.behind = facts.behind
    this.token = tokenOf(event)
  }

  get hasEnded(): boolean {
    return this.settled && (this.state === 'none' || this.state === 'known')
  }

  /** Only what happens next is written next time. */
  written(): void {
    this.json = this.outcome = undefined
    this.steps = this.calls = ''
    this.newOutcome = false
  }
}

function tokenOf({ type, data }: BotEvent): string | undefined {
  const value = type === 'interaction' ? data['token'] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An event without the secrets that its type has. */
function eventJson(event: BotEvent): string {
  const json = event.type === 'interaction' ? plainJson(event) : JSON.stringify(event)
  if (json !== undefined && json.length <= LONGEST_EVENT) return json
  const { id, era, type, created_at } = event
  return JSON.stringify({ id, era, type: type.slice(0, 200), created_at: created_at.slice(0, 64) })
}
