import { answerWords, embedTexts, type RecordedCall } from '@botwright/framework/replay'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import { type Colors, duration } from '../terminal/terminal.ts'
import { hasFailed, type Result } from './result.ts'

/** A result as a document, for programs. */
export function toJson({ action, outcome, event, answers, why, certain, problems, hint, errors }: Result) {
  const { id, type, result, file, ms, error, at } = event ?? {}
  return {
    outcome,
    did: action.ids,
    event: event && { id, type, result, file, ms, error, at },
    answers: answers.map(({ name, input, code, error: fault, created }) => ({
      ...{ call: name, input, created, code, error: fault },
    })),
    why,
    ...(hint !== undefined && { hint }),
    ...(!certain && { certain }),
    ...(problems.length > 0 && { problems }),
    ...(errors.length > 0 && { errors }),
  }
}

/** The lines of a result for a terminal: the action, the file, the answers, and why there is none. */
export function resultLines(colors: Colors, result: Result): string[] {
  const { dim, cyan } = colors
  const { action, event, answers } = result
  const lines = [dim(printableLine(action.words))]
  if (event?.file !== undefined) {
    const time = event.ms === undefined ? '' : `  ${dim(duration(event.ms))}`
    lines.push(`${cyan(printableLine(event.file))}  ${dim(`event ${event.id}`)}${time}`)
  }
  for (const call of answers) lines.push(...answerLines(call, colors))
  return [...lines, ...endLines(colors, result)]
}

/** The failure, the refusal, the reason why the bot did nothing, and the problems of newer code. Empty after an answer. */
export function endLines(colors: Colors, result: Result): string[] {
  const { event, problems, outcome, why, hint, errors } = result
  const lines = [...endLine(colors, result), ...errors.map((text) => colors.red(`✘ ${printableBlock(text)}`))]
  if (hint !== undefined) lines.push(colors.yellow(`! ${printableLine(hint)}`))
  if (problems.length > 0 && !(outcome === 'nothing' && !event && why?.includes(problems[0]!.at)))
    for (const { at, text } of problems)
      lines.push(
        colors.yellow(
          `! ${printableLine(at)}  ${printableBlock(text)} (the bot is still running the previous version)`,
        ),
      )
  return lines
}

function endLine({ red, yellow }: Colors, { event, outcome, why }: Result): string[] {
  if (event && hasFailed(event)) {
    const place = event.at === undefined ? '' : `${printableLine(event.at)}  `
    return [red(`✘ ${place}${printableBlock(event.error ?? event.result.replace('_', ' '))}`)]
  }
  if (event?.result === 'refused') return [yellow(`– refused: ${printableBlock(why ?? '')}`)]
  if (event?.result === 'unfinished') return [yellow(`… ${printableLine(why ?? '')}`)]
  if (event?.result === 'passed')
    return [yellow(`… passed to ${printableLine(event.file ?? '')}, which is recorded elsewhere`)]
  return outcome === 'nothing' ? [yellow(`– the bot did nothing: ${printableBlock(why ?? '')}`)] : []
}

/** An answer with its whole text, its embeds and its buttons. */
function answerLines(call: RecordedCall, { red, dim }: Colors): string[] {
  if (call.code !== undefined) return [red(`  ${answerWords(call)}`)]
  const { content, embeds, ...rest } = (call.input ?? {}) as { content?: unknown; embeds?: unknown }
  const text = typeof content === 'string' && content.includes('\n') ? content.split('\n') : []
  const words = answerWords({ ...call, input: { ...rest, ...(text.length === 0 && { content }) } }).trimEnd()
  const cards = Array.isArray(embeds) ? (embeds as Record<string, unknown>[]).flatMap((one) => embedLines(one)) : []
  return [
    `  ${words}`,
    ...text.map((line) => `    ${printableLine(line)}`),
    ...cards.map((line) => dim(`    │ ${printableLine(line)}`)),
  ]
}

/** The texts of an embed, in lines. */
export const embedLines = (embed: Record<string, unknown>): string[] =>
  embedTexts(embed).flatMap((text) => text.split('\n'))
