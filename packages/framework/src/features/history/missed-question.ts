import { eventKey } from '@botwright/events'
import { lookOf } from '@botwright/protocol/typed-text'
import type { MessageCreate } from '@botwright/protocol/shapes'
import type { MissedQuestion, Unanswered } from '@botwright/protocol/timeline'
import { short } from './call-words.ts'
import type { RecordedCall, RecordedEvent } from './recorded-event.ts'
import type { RecordedStep } from '../../link/recorded-step.ts'

/** So long before an event, a question counts as its own: people answer late, but not on the next day. */
export const MISSED_MS = 86_400_000
/** The text of a question is cut. */
const LONGEST = 60

type Wait = Extract<RecordedStep, { kind: 'wait' }>

/** The newest question to the person of a message, in its channel, that ended without an answer. `earlier`: the events before it. */
export function missedQuestion(message: RecordedEvent, earlier: readonly RecordedEvent[]): MissedQuestion | undefined {
  const { channel_id, author_id } = message.data ?? {}
  if (message.type !== 'message' || typeof channel_id !== 'string' || typeof author_id !== 'string') return undefined
  let found: MissedQuestion | undefined
  for (const event of earlier) {
    const { data, steps = [] } = event
    if ((data?.['author_id'] ?? data?.['user_id']) !== author_id) continue
    for (const step of steps) {
      if (step.kind !== 'wait' || step.for !== 'answer' || !step.unanswered) continue
      const { at: endedAt } = step.unanswered
      const agoMs = message.atMs - Date.parse(endedAt)
      if (agoMs > MISSED_MS || (found && Date.parse(found.at) > Date.parse(endedAt))) continue
      const input = inputOf(questionOf(step, earlier, event))
      const place = input.channel_id ?? data?.['channel_id']
      if (place !== channel_id) continue
      found = questionWords(step, step.unanswered, input)
    }
  }
  return found
}

/** The newest question with this button in a channel that ended without a click. */
export function missedChoice(
  { channelId, label }: { channelId: string; label: string },
  events: readonly RecordedEvent[],
): MissedQuestion | undefined {
  const missed = events.flatMap((event) =>
    (event.steps ?? []).flatMap((step) => {
      if (step.kind !== 'wait' || !clicked.has(step.for) || !step.unanswered) return []
      const input = inputOf(questionOf(step, events, event))
      const place = input.channel_id ?? event.data?.['channel_id']
      return place === channelId && facesOf(input).includes(label) ? [questionWords(step, step.unanswered, input)] : []
    }),
  )
  return missed.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).at(-1)
}

/** Until when the newest message with this button is held. Messages to a channel are sent in their order. */
export function heldUntil(
  { channelId, label }: { channelId: string; label: string },
  events: readonly RecordedEvent[],
): string | undefined {
  const sent = events.findLastIndex(
    ({ type, data, result }) => type === 'held_message' && data?.['channel_id'] === channelId && result === 'ok',
  )
  return events
    .slice(sent + 1)
    .flatMap(({ calls }) => calls)
    .findLast(
      (call) => call.held_until !== undefined && inputOf(call).channel_id === channelId && hasButton(call, label),
    )?.held_until
}

const hasButton = (call: RecordedCall, label: string): boolean =>
  facesOf(inputOf(call)).some((face) => typeof face === 'string' && lookOf(face) === lookOf(label))

const clicked: ReadonlySet<Wait['for']> = new Set(['choice', 'click', 'approval'])

const facesOf = ({ components }: Input): unknown[] =>
  (Array.isArray(components) ? (components as NonNullable<MessageCreate['components']>) : []).flatMap((row) =>
    row.components.flatMap(({ label, emoji }) => [label, emoji]),
  )

/** The call that posted the question of a wait: the last message before it. A durable run has several records. */
function questionOf({ t }: Wait, earlier: readonly RecordedEvent[], asker: RecordedEvent): RecordedCall | undefined {
  return earlier
    .filter((event) => eventKey(event) === eventKey(asker))
    .flatMap(({ calls }) => calls)
    .filter(({ name, code, atMs = Infinity }) => asks.has(name) && code === undefined && atMs <= t)
    .sort((a, b) => a.atMs! - b.atMs!)
    .at(-1)
}

const asks: ReadonlySet<string> = new Set(['messages.create', 'interactions.callback'])

type Input = { readonly [field in 'channel_id' | 'content' | 'components']?: unknown }

const inputOf = (call: RecordedCall | undefined): Input => call?.input ?? {}

const questionWords = ({ at }: Wait, unanswered: Unanswered, { content }: Input): MissedQuestion => ({
  ...unanswered,
  ...(at !== undefined && { place: at }),
  ...(typeof content === 'string' && content !== '' && { text: short(content, LONGEST) }),
})
