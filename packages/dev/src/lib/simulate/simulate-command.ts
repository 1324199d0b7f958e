import { resolve } from 'node:path'
import type { ProgramIo } from '@botwright/framework/start'
import { printableBlock, printableLine } from '@botwright/protocol/facts'
import { shellWord } from '@botwright/protocol/shell-word'
import { openBotFolder } from '../files/open-folder.ts'
import { findTestFile } from '../files/test-file.ts'
import { showProblem } from '../problems/code-frame.ts'
import { testVariables } from '../people/test-variables.ts'
import { count, createTerminal, duration, type Terminal } from '../terminal/terminal.ts'
import { type FaultKind, faultKinds, type FileCoverage, type Finding } from './finding.ts'
import { createProgress } from './progress.ts'
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
  // Before the plays, which take minutes.
  const test = save === undefined ? undefined : await findTestFile(resolve(io.cwd), save, options.force)
  const env = await testVariables(root, io.env)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  io.signals.on('SIGINT', stop)
  const seeds = seed === undefined ? options.seeds : 1
  const progress = createProgress(io, { seeds, isShown: !json, print: terminal.print })
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
          progress.found(finding)
          if (json) return
          printing.push(
            findingText(finding, { root, terminal, repeat: repeat(finding), isWhole: seed !== undefined }).then(
              (text) => progress.print(text),
            ),
          )
        },
      },
    )
    await Promise.all(printing)
    progress.end()
    const { findings } = result
    const failed = findings.filter(({ severity }) => severity === 'fault')
    if (json) {
      const shown = findings.map((one) => ({ ...one, repeat: repeat(one) }))
      terminal.print(JSON.stringify({ ok: failed.length === 0, ...result, findings: shown }, undefined, 2))
    } else printSummary(result, { terminal, isWhole: seed === undefined, tookMs: performance.now() - startedMs })
    const [first] = failed.filter(({ play }) => play !== undefined)
    if (test && first) {
      await saveFinding(first, test, env)
      const { file } = test
      if (!json) terminal.print(`wrote ${printableLine(file)}: run it with npx vitest run ${shellWord(file)}`)
    } else if (test && !json)
      terminal.print(
        failed.length === 0
          ? 'nothing was saved: there is no fault'
          : 'nothing was saved: the fault happens while the bot starts, before a play begins',
      )
    if (result.interrupted) return INTERRUPTED
    return failed.length > 0 ? 1 : 0
  } finally {
    progress.end()
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
  /** All steps. */
  isWhole: boolean
}

async function findingText(finding: Finding, { root, terminal, repeat, isWhole }: Printing): Promise<string> {
  const { colors } = terminal
  const { file, line, text, severity, steps } = finding
  const isWarning = severity === 'warning'
  const shown = await showProblem(
    { file, ...(line !== undefined && { line }), text: `${isWarning ? 'warning: ' : ''}${text}` },
    root,
    terminal,
    isWarning ? colors.yellow('!') : undefined,
  )
  const some = isWhole ? steps : steps.slice(-MOST_STEPS)
  const hidden = steps.length - some.length
  return [
    shown,
    ...(hidden > 0 ? [colors.dim(`    … ${count(hidden, 'earlier step')}; the command below prints all`)] : []),
    ...some.map((step) => colors.dim(`    ${printableLine(step)}`)),
    ...(steps.length > 0 ? [`    ${repeat}`] : []),
    '',
  ].join('\n')
}

function printSummary(
  { findings, coverage, handlers, seeds, interrupted }: SimulationResult,
  { terminal, isWhole, tookMs }: { terminal: Terminal; isWhole: boolean; tookMs: number },
): void {
  const { print, colors } = terminal
  // One play reaches few lines, and an interrupted run has counted only some of its plays.
  const counted = isWhole && !interrupted ? coverage : []
  const missed = counted.filter((one) => one.missed.length > 0)
  if (missed.length > 0) {
    print('Lines that no play has reached:')
    for (const one of missed.slice(0, MOST_MISSED))
      print(`  ${colors.cyan(printableLine(one.file))}  ${rangesText(one)}`)
    if (missed.length > MOST_MISSED)
      print(colors.dim(`  and ${count(missed.length - MOST_MISSED, 'more file')} (--json lists them)`))
  }
  const faults = findings.filter(({ severity }) => severity === 'fault').length
  const warnings = findings.length - faults
  const [all, reached] = counted.reduce<[number, number]>(
    ([lines, ran], one) => [lines + one.lines, ran + one.lines - missedLines(one)],
    [0, 0],
  )
  const facts = [
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
    `${count(seeds, 'play')} of ${count(handlers, 'handler')}`,
    ...(all > 0 ? [`${Math.floor((100 * reached) / all)}% of the bot's lines reached`] : []),
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
