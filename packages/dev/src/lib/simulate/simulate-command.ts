import type { ProgramIo } from '@botwright/framework/start'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import { openBotFolder } from '../files/open-folder.ts'
import { showProblem } from '../problems/code-frame.ts'
import { testVariables } from '../people/test-variables.ts'
import { count, createTerminal, cursorTerminal, duration, type Terminal } from '../terminal/terminal.ts'
import { type FaultKind, faultKinds, type FileCoverage, type Finding } from './finding.ts'
import { runSimulation, type SimulationResult } from './run-simulation.ts'
import { saveFinding } from './save-finding.ts'

export interface SimulateFlags {
  seeds: number
  minutes: number
  faults: readonly FaultKind[]
  seed?: number
  save?: string
  force: boolean
  json: boolean
}

interface SimulateOptions extends SimulateFlags {
  io: ProgramIo
}

const INTERRUPTED = 130
/** The newest steps of a play are those that matter. */
const MOST_STEPS = 16
const MOST_MISSED = 12

/** `framework simulate`: plays the bot with made-up people and faults. Returns the exit code. */
export async function simulateCommand(options: SimulateOptions): Promise<number> {
  const { io, minutes, faults, seed, json, save } = options
  const startedMs = performance.now()
  const terminal = createTerminal(io)
  const { root } = await openBotFolder(io.cwd)
  const env = await testVariables(root, io.env)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  io.signals.on('SIGINT', stop)
  const seeds = seed === undefined ? options.seeds : 1
  const progress = createProgress(io, json, seeds)
  const printing: Promise<void>[] = []
  const repeat = (one: Finding) => repeatText(one, { minutes, faults })
  try {
    const result = await runSimulation(
      { root, first: seed ?? 1, seeds, minutes, faults, env },
      {
        signal: stopping.signal,
        environment: io.env,
        onProgress: (plays) => progress.show(plays),
        onFinding: (finding) => {
          if (json) return
          progress.clear()
          printing.push(printFinding(finding, { root, terminal, repeat: repeat(finding) }))
        },
      },
    )
    progress.clear()
    await Promise.all(printing)
    const { findings } = result
    const failed = findings.filter(({ severity }) => severity === 'fault')
    if (json) {
      const shown = findings.map((one) => ({ ...one, repeat: repeat(one) }))
      terminal.print(JSON.stringify({ ok: failed.length === 0, ...result, findings: shown }, undefined, 2))
    } else printSummary(result, { terminal, tookMs: performance.now() - startedMs })
    const [first] = failed.filter(({ play }) => play !== undefined)
    if (save !== undefined && first) {
      const written = await saveFinding(first, { io, root, file: save, force: options.force, env })
      if (!json) terminal.print(`wrote ${printableLine(written)}: run it with npx vitest run ${printableLine(written)}`)
    } else if (save !== undefined && !json)
      terminal.print(
        failed.length === 0
          ? 'nothing was saved: there is no fault'
          : 'nothing was saved: the fault happens while the bot starts, before a play begins',
      )
    if (result.interrupted) return INTERRUPTED
    return failed.length > 0 ? 1 : 0
  } finally {
    progress.clear()
    io.signals.off('SIGINT', stop)
  }
}

/** The command that plays a seed again. */
function repeatText({ seed }: Finding, { minutes, faults }: { minutes: number; faults: readonly FaultKind[] }): string {
  const all = faults.length === faultKinds.length
  return [
    `framework simulate --seed ${seed}`,
    ...(minutes === 30 ? [] : [`--minutes ${minutes}`]),
    ...(all ? [] : [`--faults ${faults.join(',') || 'none'}`]),
  ].join(' ')
}

interface Printing {
  root: string
  terminal: Terminal
  repeat: string
}

async function printFinding(finding: Finding, { root, terminal, repeat }: Printing): Promise<void> {
  const { print, colors } = terminal
  const { file, line, text, severity, steps } = finding
  const isWarning = severity === 'warning'
  const shown = await showProblem(
    { file, ...(line !== undefined && { line }), text: `${isWarning ? 'warning: ' : ''}${text}` },
    root,
    colors,
    isWarning ? colors.yellow('!') : undefined,
  )
  const some = steps.slice(-MOST_STEPS)
  print(
    [
      shown,
      ...(some.length < steps.length ? [colors.dim(`    … ${count(steps.length - some.length, 'earlier step')}`)] : []),
      ...some.map((step) => colors.dim(`    ${printableLine(step)}`)),
      ...(steps.length > 0 ? [`    ${repeat}`] : []),
      '',
    ].join('\n'),
  )
}

function printSummary(
  { findings, coverage, handlers, seeds, interrupted }: SimulationResult,
  { terminal, tookMs }: { terminal: Terminal; tookMs: number },
): void {
  const { print, colors } = terminal
  const missed = coverage.filter((one) => one.missed.length > 0)
  if (missed.length > 0) {
    print('Lines that no play has reached:')
    for (const one of missed.slice(0, MOST_MISSED))
      print(`  ${colors.cyan(printableLine(one.file))}  ${rangesText(one)}`)
    if (missed.length > MOST_MISSED)
      print(colors.dim(`  and ${count(missed.length - MOST_MISSED, 'more file')} (--json lists them)`))
  }
  const faults = findings.filter(({ severity }) => severity === 'fault').length
  const warnings = findings.length - faults
  const [all, reached] = coverage.reduce<[number, number]>(
    ([lines, ran], one) => [lines + one.lines, ran + one.lines - missedLines(one)],
    [0, 0],
  )
  const facts = [
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
    `${count(seeds, 'play')} of ${count(handlers, 'handler')}`,
    ...(all > 0 ? [`${Math.floor((100 * reached) / all)}% of the lines`] : []),
  ].join(', ')
  const end = interrupted ? ' (interrupted)' : ''
  print(
    faults > 0
      ? `${colors.red(`✘ ${count(faults, 'fault')}`)}, ${facts}${end}  ${colors.dim(duration(tookMs))}`
      : `${colors.green('✓')} no fault, ${facts}${end}  ${colors.dim(duration(tookMs))}`,
  )
}

const missedLines = ({ missed, lines }: FileCoverage): number =>
  Math.min(
    lines,
    missed.reduce((sum, [from, to]) => sum + to - from + 1, 0),
  )

const rangesText = ({ missed }: FileCoverage): string =>
  printableBlock(missed.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', '))

/** A line that shows how far it is, in a terminal. */
function createProgress({ stderr }: ProgramIo, json: boolean, seeds: number) {
  const isShown = !json && stderr.isTTY === true
  const out = cursorTerminal(stderr)
  let hasLine = false
  return {
    show(done: number): void {
      if (!isShown) return
      hasLine = true
      out.write(`\r\u001b[2K${done} of ${seeds} plays`)
    },
    clear(): void {
      if (hasLine) out.write('\r\u001b[2K')
      hasLine = false
    },
  }
}
