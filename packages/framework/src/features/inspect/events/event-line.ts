import { printableLine } from '@botwright/protocol/facts'
import { choiceOf } from '../../../author/buttons/face.ts'
import { answersOf, answerWords } from '../../history/call-words.ts'
import { describeEvent } from '../../history/event-words.ts'
import { localTime } from '../../history/local-time.ts'
import { unhandledWords } from '../../history/output/event-list.ts'
import { isOwnWork, type RecordedEvent } from '../../history/recorded-event.ts'
import type { UnhandledEvents } from '../../history/unhandled.ts'
import { type Colors, cutToWidth, duration, widthOf } from '../terminal.ts'

/** A column grows with its content so far. */
const WIDEST = 28

/** Formats events as lines with aligned columns, without knowing later lines. */
export class EventLines {
  readonly #colors: Colors
  readonly #columns: number
  readonly #widths: number[] = []
  #day = new Date().toDateString()

  /** `columns`: the width at which lines are cut; Infinity keeps them whole, for a program. */
  constructor(colors: Colors, columns: number) {
    this.#colors = colors
    this.#columns = columns
  }

  /** The time, the event, the command, the user and the file. */
  head({ id, atMs, type, data, file, result, label }: RecordedEvent): string {
    const { dim, cyan, bold } = this.#colors
    const { what, who } = describeEvent({ type, data: data ?? {} }, file ?? '', label)
    const number = isOwnWork({ id }) ? type : `#${id}`
    const shown = printableLine(
      file ?? (result === 'none' ? (isForWaiting(data) ? 'a waiting handler' : 'no file') : ''),
    )
    return [
      dim(this.#time(atMs)),
      dim(this.#pad(3, number, number)),
      this.#pad(0, bold(printableLine(what)), printableLine(what)),
      this.#pad(1, dim(printableLine(who)), printableLine(who)),
      this.#pad(2, cyan(dim(shown)), shown),
    ].join('  ')
  }

  /** The whole line of one event, with its answers; two lines if they do not fit into one. */
  line(event: RecordedEvent): string {
    const { dim, green, red, yellow } = this.#colors
    const marks: Record<RecordedEvent['result'], string> = {
      ok: green('✓'),
      error: red('✘'),
      none: dim('·'),
      passed: dim('→'),
      unfinished: yellow('…'),
      ...unusualResults(red, yellow),
    }
    const took = event.ms === undefined ? '' : duration(event.ms)
    // The call that failed the handler has the same error text.
    const made = [...event.calls, ...(event.passedTo?.calls ?? [])]
    const calls = answersOf(made).filter(({ error }) => error === undefined || error !== event.error)
    const answers = calls.map((call) => (call.code === undefined ? answerWords(call) : red(answerWords(call))))
    if (event.error !== undefined) answers.unshift(red(printableLine(event.error)))
    const head = [this.head(event), dim(took.padStart(8)), marks[event.result]].join('  ')
    const words = answers.join(dim(' · '))
    const line = `${head}  ${words}`.trimEnd()
    if (widthOf(line) <= this.#columns || answers.length === 0) return cutToWidth(line, this.#columns)
    // In a narrow window, the answers have a line of their own.
    return [head, `          ${words}`].map((part) => cutToWidth(part, this.#columns)).join('\n')
  }

  /** The line of events in a row that no file handled. */
  unhandled(row: UnhandledEvents): string {
    const ids = `#${row.first.id} to #${row.last.id}`
    const words = `${this.#time(row.last.atMs)}  · ${unhandledWords(row)} (${ids})`
    return this.#colors.dim(cutToWidth(words, this.#columns))
  }

  #time(atMs: number): string {
    const date = new Date(atMs)
    // Only times of other days include the date.
    return date.toDateString() === this.#day ? date.toTimeString().slice(0, 8) : localTime(atMs).slice(5)
  }

  #pad(column: number, shown: string, plain: string): string {
    const width = widthOf(plain)
    this.#widths[column] = Math.min(WIDEST, Math.max(this.#widths[column] ?? 0, width))
    return shown + ' '.repeat(Math.max(0, this.#widths[column] - width))
  }
}

/** Results in words, where a symbol alone would be unclear. */
export const resultWords = {
  ok: '',
  refused: 'refused',
  timed_out: 'timed out',
  crashed: 'crashed',
  dead_lettered: 'dead-lettered',
  skipped: 'skipped',
} as const

type Paint = (text: string) => string
const unusualResults = (red: Paint, yellow: Paint) => ({
  timed_out: red(`✘ ${resultWords.timed_out}`),
  crashed: red(`✘ ${resultWords.crashed}`),
  dead_lettered: red(`✘ ${resultWords.dead_lettered}`),
  refused: yellow(`– ${resultWords.refused}`),
  skipped: yellow(`– ${resultWords.skipped}`),
})

/** A click on a `choice()` starts no file: the waiting handler received it. */
const isForWaiting = (data: RecordedEvent['data']): boolean => {
  const id = data?.['custom_id']
  return typeof id === 'string' && choiceOf(id) !== undefined
}
