import { printableLine } from '@botwright/protocol/facts'
import { answersOf, answerWords, type RecordedCall, type ReplayedEvent } from '@botwright/framework/replay'
import { count, cutToWidth, type Terminal, widthOf } from '../terminal/terminal.ts'
import type { Verdict } from './compare.ts'
import { EventLines } from '@botwright/framework/start'
import { firstDifference } from './first-difference.ts'

/** Below this width, the two sides are printed one below the other. */
const NARROW = 72
const WIDEST = 160

/** Shows events with their recorded and their current answers. */
export class ReplayReport {
  readonly #terminal: Terminal
  readonly #lines: EventLines
  readonly #columns: number
  readonly #dry: boolean
  readonly #counts = new Map<Verdict, number>()

  constructor(terminal: Terminal, { columns, dry }: { columns: number; dry: boolean }) {
    this.#terminal = terminal
    this.#columns = Math.min(columns, WIDEST)
    this.#dry = dry
    this.#lines = new EventLines(terminal.colors, this.#columns)
  }

  /** How many events had a verdict. */
  counted(...verdicts: Verdict[]): number {
    return verdicts.reduce((sum, verdict) => sum + (this.#counts.get(verdict) ?? 0), 0)
  }

  count(verdict: Verdict): void {
    this.#counts.set(verdict, this.counted(verdict) + 1)
  }

  counts(): Record<string, number> {
    const events = [...this.#counts.values()].reduce((sum, one) => sum + one, 0)
    return { events, ...Object.fromEntries(this.#counts) }
  }

  event(replayed: ReplayedEvent, verdict: Verdict): void {
    this.count(verdict)
    // Events without a file need no output.
    if (verdict === 'unhandled') return
    const { dim, green, yellow, red } = this.#terminal.colors
    const marks = {
      same: dim('= same'),
      different: yellow('≠ different'),
      error: red('✘ new error'),
      fixed: green('✓ error fixed'),
      skipped: dim('– not run'),
    }
    const { event } = replayed
    const file = replayed.file ?? event.file
    const head = this.#lines.head({ ...event, ...(file !== undefined && { file }) })
    this.#terminal.print(cutToWidth(`${head}  ${marks[verdict]}`, this.#columns))
    if (verdict === 'same') return
    if (verdict === 'skipped') return this.#terminal.print(dim(`    ${printableLine(replayed.error ?? '')}`))
    const isMoved = event.file !== replayed.file
    const before = answers(event, isMoved ? event.file : undefined)
    const after = answers(replayed, isMoved ? file : undefined)
    // The words omit the contents of cards and the ids of buttons.
    if (before.join('\n') === after.join('\n')) {
      const at = firstDifference(inputs(event.calls), inputs(replayed.calls))
      if (at) {
        before.push(at.before)
        after.push(at.after)
      }
    }
    if (this.#columns < NARROW) this.#under(before, after)
    else this.#beside(before, after)
  }

  #beside(before: readonly string[], after: readonly string[]): void {
    const { dim, red, green } = this.#terminal.colors
    const width = Math.floor((this.#columns - 7) / 2)
    const [left, right] = [wrapped(before, width), wrapped(after, width)]
    const fill = (text: string) => text + ' '.repeat(Math.max(0, width - widthOf(text)))
    const titles = [dim(fill('was answered')), dim(this.#dry ? 'would be answered' : 'was answered now')]
    this.#terminal.print(`    ${titles[0]} ${dim('│')} ${titles[1]}`)
    for (let i = 0; i < Math.max(left.length, right.length); i++) {
      const [one, other] = [left[i] ?? '', right[i] ?? '']
      const paint = (text: string, color: (text: string) => string) => (one === other ? text : color(text))
      this.#terminal.print(`    ${paint(fill(one), red)} ${dim('│')} ${paint(other, green)}`.trimEnd())
    }
  }

  #under(before: readonly string[], after: readonly string[]): void {
    const { red, green } = this.#terminal.colors
    for (const line of wrapped(before, this.#columns - 6)) this.#terminal.print(red(`  - ${line}`))
    for (const line of wrapped(after, this.#columns - 6)) this.#terminal.print(green(`  + ${line}`))
  }

  summary(): void {
    const { bold, dim, red, yellow, green } = this.#terminal.colors
    const part = (verdict: Verdict, text: string, color: (text: string) => string) =>
      this.counted(verdict) > 0 ? [color(`${this.counted(verdict)} ${text}`)] : []
    const parts = [
      ...part('same', 'same', dim),
      ...part('different', 'different', yellow),
      ...part('error', this.counted('error') === 1 ? 'new error' : 'new errors', red),
      ...part('fixed', 'error fixed', green),
      ...part('skipped', 'not run', dim),
      ...part('unhandled', 'without a handler', dim),
    ]
    this.#terminal.print(`\n${bold(count(this.counts()['events']!, 'event'))}: ${parts.join(', ')}`)
  }
}

const inputs = (calls: readonly RecordedCall[]): unknown[] => answersOf(calls).map(({ input }) => input)

/** The answers of a run, each in a line, after its error with its line in the code. */
export function answers(
  { result, error, at, calls }: Pick<ReplayedEvent, 'result' | 'error' | 'at' | 'calls'>,
  file: string | undefined,
): string[] {
  const lines = answersOf(calls).map(answerWords)
  if (error !== undefined) lines.unshift(`error: ${error}${at === undefined || at === '' ? '' : ` (${at})`}`)
  if (file !== undefined) lines.unshift(`by ${file}`)
  if (result === 'none') lines.push('nothing: no file handles it')
  else if (result === 'unfinished') lines.push('its handler did not finish')
  else if (lines.length === 0) lines.push('nothing')
  return lines
}

/** Each answer on lines of its own, further ones indented. */
function wrapped(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => {
    const out: string[] = []
    let now = ''
    for (const word of line.split(/\s+/).flatMap((one) => pieces(one, width - 2))) {
      if (now !== '' && widthOf(now) + 1 + widthOf(word) > width) {
        out.push(now)
        now = `  ${word}`
      } else now = now === '' ? word : `${now} ${word}`
    }
    return [...out, now]
  })
}

function pieces(word: string, width: number): string[] {
  const letters = [...word]
  const out: string[] = []
  for (let i = 0; i < letters.length; i += width) out.push(letters.slice(i, i + width).join(''))
  return out.length === 0 ? [''] : out
}
