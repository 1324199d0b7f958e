import { answersOf, answerWords, type RecordedCall, type RecordedEvent } from '@botwright/framework/replay'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import { type Colors, duration } from '../terminal.ts'
import type { Action } from './actions.ts'
import { outcomeOf } from './fate.ts'

/** The result of an act as a document. */
export function toJson(action: Action, event: RecordedEvent | undefined) {
  const { id, type, result, file, ms, error, at } = event ?? {}
  return {
    outcome: outcomeOf(event),
    did: action.ids,
    event: event && { id, type, result, file, ms, error, at },
    answers: answersOf(event?.calls ?? []).map(({ name, input, code, error: fault, created }) => ({
      ...{ call: name, input, created, code, error: fault },
    })),
  }
}

/** The lines of a result for a terminal: the file, the answers, and why there is none. */
export function resultLines(colors: Colors, event: RecordedEvent | undefined, waitMs: number): string[] {
  const { dim, cyan, red } = colors
  const lines: string[] = []
  if (event?.file !== undefined) {
    const time = event.ms === undefined ? '' : `  ${dim(duration(event.ms))}`
    lines.push(`${cyan(printableLine(event.file))}  ${dim(`event ${event.id}`)}${time}`)
  }
  for (const call of answersOf(event?.calls ?? [])) lines.push(...answerLines(call, red))
  return [...lines, ...endLines(colors, event, waitMs)]
}

/** The failure, the refusal, or the reason why the bot did nothing. Empty after an answer. */
export function endLines({ red, yellow }: Colors, event: RecordedEvent | undefined, waitMs: number): string[] {
  const outcome = outcomeOf(event)
  if (outcome === 'failed') {
    const place = event?.at === undefined ? '' : `${printableLine(event.at)}  `
    return [red(`✘ ${place}${printableBlock(event?.error ?? resultOf(event))}`)]
  }
  if (event?.result === 'refused') return [yellow(`– refused: ${printableBlock(event.error ?? '')}`)]
  if (event?.result === 'unfinished') return [yellow('… its handler still runs, or waits for an answer')]
  return outcome === 'nothing' ? [yellow(`– the bot did nothing: ${whyNothing(event, waitMs)}`)] : []
}

/** An answer with its whole text, and its buttons. */
function answerLines(call: RecordedCall, red: (text: string) => string): string[] {
  const { content, ...rest } = (call.input ?? {}) as { content?: unknown }
  if (call.code !== undefined) return [red(`  ${answerWords(call)}`)]
  if (typeof content !== 'string' || !content.includes('\n')) return [`  ${answerWords(call)}`]
  const words = answerWords({ ...call, input: rest }).trimEnd()
  return [`  ${words}`, ...content.split('\n').map((line) => `    ${printableLine(line)}`)]
}

const resultOf = (event: RecordedEvent | undefined): string => (event?.result ?? '').replace('_', ' ')

function whyNothing(event: RecordedEvent | undefined, waitMs: number): string {
  if (!event)
    return `it did not receive the event within ${duration(waitMs)}; see the terminal of framework dev, or whether the bot is in this channel`
  if (event.result === 'none') return 'no file handles the event'
  if (event.result === 'skipped') return event.error ?? 'the event was skipped'
  return event.calls.length > 0 ? 'its calls failed' : 'its handler ended without an answer'
}
