import type { ProgramIo } from '@botwright/framework/start'
import { count, cursorTerminal } from '../terminal/terminal.ts'
import type { Finding } from './finding.ts'

/** Often enough for a reader of a log, who sees that it goes on. */
const LINE_MS = 10_000

interface Options {
  seeds: number
  isShown: boolean
  print: (text: string) => void
  /** Milliseconds of a clock. */
  now?: () => number
}

/** Shows how far a simulation is: in a line that changes, or in files and pipes with a line now and then. */
export function createProgress(
  { stderr }: Pick<ProgramIo, 'stderr'>,
  { seeds, isShown, print, now = () => performance.now() }: Options,
) {
  const isTerminal = isShown && stderr.isTTY === true
  const out = cursorTerminal(stderr)
  let text = ''
  let faults = 0
  let linesMs = now()
  const draw = () => isTerminal && text !== '' && out.write(`\r\u001b[2K${text}`)
  const clear = () => isTerminal && text !== '' && out.write('\r\u001b[2K')
  return {
    found({ severity }: Pick<Finding, 'severity'>): void {
      if (severity === 'fault') faults++
    },
    show(done: number): void {
      if (!isShown) return
      text = `${done} of ${seeds} plays`
      if (isTerminal) return void draw()
      if (now() - linesMs < LINE_MS || done === seeds) return
      linesMs = now()
      stderr.write(`${text}, ${faults === 0 ? 'no fault' : count(faults, 'fault')} so far\n`)
    },
    /** Prints a text above the line. */
    print(report: string): void {
      clear()
      print(report)
      draw()
    },
    /** Removes the line. */
    end(): void {
      clear()
      text = ''
    },
  }
}
