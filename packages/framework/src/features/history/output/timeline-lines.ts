import { printableBlock, printableLine, shortened } from '@botwright/protocol/facts'
import type { Timeline, TimelineFailure, TimelineResult, TimelineStep } from '@botwright/protocol/timeline'
import { isOwnWork } from '../recorded-event.ts'
import { frameWindow } from './frame-window.ts'
import { durationText } from '../../../author/time/duration.ts'

type Paint = (text: string) => string

/** The colors of a terminal. */
export interface LineColors {
  bold: Paint
  dim: Paint
  red: Paint
  yellow: Paint
  cyan: Paint
}

const LONGEST_STEP = 600

/** A timeline as lines for a terminal. `columns`: the width for lines of code. */
export function timelineLines(timeline: Timeline, colors: LineColors, columns = Infinity): string[] {
  const { bold, dim } = colors
  const { event, bot, steps, failure } = timeline
  const line = (text: string) => printableLine(text)
  const head = [
    bold(line(event.title)),
    ...(event.who === undefined ? [] : [line(event.who)]),
    ...(isOwnWork(event) ? [] : [dim(`event ${event.id}`)]),
  ]
  const lines = [
    head.join('  '),
    dim(
      line(
        isOwnWork(event)
          ? `began ${event.received_at} in ${bot.username}`
          : `received ${event.received_at} by ${bot.username} from ${bot.baseUrl}`,
      ),
    ),
    ...(timeline.brief ? [dim('recorded by an older release: most steps are missing, and times are estimates')] : []),
    '',
  ]
  for (const step of steps) {
    const took = step.ms === undefined ? '' : dim(`  ${msText(step.ms)}`)
    const text = line(shortened(step.text, LONGEST_STEP))
    lines.push(`${dim(msText(step.atMs).padStart(10))}  ${paintOf(step, colors)(text)}${took}`)
  }
  if (timeline.result === 'unfinished') lines.push(`${' '.repeat(10)}  ${dim('its handler has not ended')}`)
  return failure ? [...lines, '', ...failureLines(failure, colors, columns)] : lines
}

/** `0.4 ms`, `1.25 s`, `3 min`. */
export function msText(ms: number): string {
  if (ms < 1000) return `${ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(2)} s` : durationText(ms)
}

/** The results of events with which nothing is wrong. */
export const fine: ReadonlySet<TimelineResult> = new Set<TimelineResult>(['ok', 'none', 'passed'])

function paintOf(step: TimelineStep, { red, yellow }: LineColors): Paint {
  const plain: Paint = (text) => text
  switch (step.kind) {
    case 'call':
      return step.ok ? plain : red
    case 'guard':
      return step.passed ? plain : yellow
    case 'unmatched':
      return step.to || step.file !== undefined ? plain : yellow
    case 'finished':
      return fine.has(step.result) ? plain : step.result === 'refused' ? yellow : red
    default:
      return plain
  }
}

function failureLines(failure: TimelineFailure, { bold, dim, red, cyan }: LineColors, columns: number): string[] {
  const { at, name, code, message, reference, frame, causes, link } = failure
  const kind = [name, code].filter((one) => one !== undefined).join(' ')
  const where = at === undefined ? '' : `${cyan(printableLine(at))}  `
  const lines = [`${where}${red(printableBlock(kind === '' ? message : `${kind}: ${message}`))}`]
  if (frame) {
    const width = String(frame.lines.at(-1)?.number ?? 0).length
    for (const { number, text } of frame.lines) {
      const isIt = number === frame.line
      const room = columns - width - '  ▸  │ '.length
      // Columns count UTF-16 units of the source; some characters are shown as escapes.
      const before = printableLine(text.slice(0, Math.max(0, (frame.column ?? 1) - 1)))
      const shown = frameWindow(printableLine(text), room, isIt ? [...before].length + 1 : undefined)
      const row = `  ${isIt ? '▸' : ' '} ${String(number).padStart(width)} │ ${shown.text}`
      lines.push(isIt ? bold(row) : dim(row))
      if (isIt && frame.column !== undefined)
        lines.push(`    ${' '.repeat(width)} │ ${' '.repeat(Math.max(0, shown.column - 1))}${red('^')}`)
    }
  }
  for (const cause of causes) {
    const head = cause.name === undefined ? cause.message : `${cause.name}: ${cause.message}`
    lines.push(`caused by ${printableBlock(head)}${cause.at === undefined ? '' : dim(`  ${printableLine(cause.at)}`)}`)
  }
  if (reference !== undefined) lines.push(dim(`reference ${printableLine(reference)}`))
  if (link !== undefined) lines.push(dim(link))
  return lines
}
