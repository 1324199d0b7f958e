import { cut } from '@botwright/protocol/facts'
import { codeOf } from '../../author/error-code.ts'
import type { TimelineValue } from '@botwright/protocol/timeline'
import { LONGEST_VALUE, type LongValue, type RecordedOutcome } from '../../link/recorded-step.ts'
import { type HistoryRedactor, plainJson } from '../../link/redaction.ts'
import type { MadeCall } from '../../runtime/ports/observer.ts'
import { isRead } from './call-words.ts'
import type { OpenEvent } from './open-event.ts'

const LONGEST_INPUT = 64 * 1024
const LONGEST_ANSWER = 16 * 1024
const LONGEST_ERROR = 2000
const LONGEST_FAILURE = 32 * 1024
const LONGEST_STACK = 8000
/** Of a text that is redacted before it is cut. */
const LONGEST_TEXT = 64 * 1024

/** Writes the JSON of events. Its strings contain no fields with secrets; other secrets are hidden in all lines at once. */
export class EventJson {
  readonly #redactor: HistoryRedactor

  constructor(redactor: HistoryRedactor) {
    this.#redactor = redactor
  }

  /** A `StoredEvent`. */
  event(open: OpenEvent): string {
    const { seq, atMs, t, attempt, behind, started, token } = open
    let json = `{"seq":${seq},"at":${atMs},"t":${Math.round((t - atMs) * 1000)}`
    if (attempt > 1) json += `,"attempt":${attempt}`
    if (behind !== undefined && !started) json += `,"behind":${behind}`
    json += `,"event":${open.json!},"steps":[${open.steps}],"calls":[${open.calls}]`
    json += this.#outcomeJson(open)
    return token === undefined ? `${json}}` : this.#redactor.text(`${json}}`, token)
  }

  /** A `StoredAddition`. */
  addition(open: OpenEvent): string {
    const json = `{"steps":[${open.steps}],"calls":[${open.calls}]${this.#outcomeJson(open)}}`
    return this.#redactor.lines([this.#redactor.text(json, open.token)])
  }

  /** A `StoredCall`. `q`: when it began, in microseconds after the event was received. */
  call({ name, input, ms, value, error, attempts }: MadeCall, q: number, token: string | undefined): string {
    const inputJson = shortJson(input, LONGEST_INPUT)
    let json = `{"name":${JSON.stringify(name)},"q":${q},"us":${microseconds(ms)}`
    if (attempts !== 1) json += `,"attempts":${attempts}`
    if (inputJson !== undefined) json += `,"input":${inputJson}`
    const created = createdBy(value)
    if (created !== undefined) json += `,"created":${JSON.stringify(created)}`
    const { held_until } = (value ?? {}) as { held_until?: unknown }
    if (typeof held_until === 'string') json += `,"held_until":${JSON.stringify(held_until)}`
    if (error !== undefined) {
      const facts = {
        code: codeOf(error) ?? 'ERR_HANDLER',
        error: this.#text(messageOf(error), token),
        status: statusOf(error),
      }
      return `${json},${JSON.stringify(facts).slice(1)}`
    }
    const answer = isRead(name) ? shortJson(value, LONGEST_ANSWER) : undefined
    return answer === undefined ? `${json}}` : `${json},"answer":${answer}}`
  }

  /** The fields of a new outcome, after a comma. */
  #outcomeJson({ outcome, newOutcome, token }: OpenEvent): string {
    if (!newOutcome) return ''
    if (outcome === undefined || outcome === 'none') return `,"result":${outcome ? '"none"' : 'null'}`
    const { file, ms, result, error, reason } = outcome
    let json = `,"result":"${result}"`
    if (file !== undefined) json += `,"file":${JSON.stringify(file)}`
    if (ms !== undefined) json += `,"us":${microseconds(ms)}`
    const message = error?.message ?? reason
    if (message !== undefined) json += `,"error":${JSON.stringify(this.#text(message, token))}`
    if (!error) return json
    const failure = this.#failureJson(error, token)
    return `${json},"where":${JSON.stringify(error.at)}${failure === undefined ? '' : `,"failure":${failure}`}`
  }

  #failureJson({ at, reference, stack, details }: NonNullable<RecordedOutcome['error']>, token: string | undefined) {
    const failure = {
      ...(at !== '' && { at }),
      ...(reference !== '' && { reference }),
      causes: [],
      ...details,
    }
    const whole = { ...failure, ...(stack !== undefined && { stack: cut(stack, LONGEST_STACK) }) }
    return (
      this.#redactor.json(whole, LONGEST_FAILURE, token) ??
      this.#redactor.json({ ...failure, causes: [], frame: undefined }, LONGEST_FAILURE, token)
    )
  }

  /** A text of limited length. Secrets are hidden before it is cut, which would leave a part of one. */
  #text(text: string, token: string | undefined): string {
    return cut(this.#redactor.text(cut(text, LONGEST_TEXT), token), LONGEST_ERROR)
  }

  /** A long value of a state. */
  cut({ long, length }: LongValue, token: string | undefined): TimelineValue {
    return { cut: true, json: cut(this.#redactor.text(long, token), LONGEST_VALUE), length }
  }
}

export const microseconds = (ms: number): number => Math.max(0, Math.round(ms * 1000))

/** The JSON of a value without secret fields; undefined if it is too long. */
function shortJson(value: unknown, most: number): string | undefined {
  const json = plainJson(value)
  return json === undefined || json.length > most ? undefined : json
}

/** The id of the message or direct-message channel that a call created. */
function createdBy(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, message, channel_id } = value as { id?: unknown; message?: { id?: unknown }; channel_id?: unknown }
  return [message?.id, id, channel_id].find((one) => typeof one === 'string')
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const statusOf = (error: unknown): number | undefined => {
  const { status } = (error ?? {}) as { status?: unknown }
  return typeof status === 'number' && status > 0 ? status : undefined
}
