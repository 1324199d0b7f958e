import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'
import { ownPlace } from '../problems/load-problem.ts'
import { type FileCoverage, type Finding, keyOf, type SimulationMessage, type SimulationRequest } from './finding.ts'
import { REPORT_FD, type StuckReason, type StuckReport } from './progress-of-thread.ts'

/** The result of a simulation. */
export interface SimulationResult {
  findings: Finding[]
  coverage: FileCoverage[]
  handlers: number
  /** The number of seeds that were played. */
  seeds: number
  /** It was interrupted. */
  interrupted: boolean
}

interface Options {
  /** The environment of the processes. Default: that of this one. */
  environment?: NodeJS.ProcessEnv

  signal?: AbortSignal | undefined
  onFinding?: (finding: Finding) => void
  onProgress?: (done: number) => void
}

/** Each of these plays costs time. */
const MOST_BLOCKED = 2
/** Modules of Node are never unloaded, so the copies of the bot's code fill the memory. */
const SEEDS_PER_PROCESS = 100

const child = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../../dist/lib/simulate/simulate-process.js', import.meta.url)
    : new URL('./simulate-process.js', import.meta.url),
)

/** The simulator that is installed beside a bot. Throws `ERR_CONFIG`. */
function findSimulator(root: string): string {
  try {
    return createRequire(join(root, 'package.json')).resolve('@botwright/testing/simulation')
  } catch {
    throw new BotwrightError('ERR_CONFIG', 'framework simulate needs @botwright/testing: npm i -D @botwright/testing')
  }
}

/** Plays seeds of a bot in processes of their own, which a handler may block or end. */
export async function runSimulation(
  request: Omit<SimulationRequest, 'testing' | 'known'>,
  options: Options = {},
): Promise<SimulationResult> {
  const { signal, onFinding, onProgress } = options
  const result: SimulationResult = { findings: [], coverage: [], handlers: 0, seeds: 0, interrupted: false }
  const coverages: FileCoverage[][] = []
  const testing = findSimulator(request.root)
  const add = (finding: Finding) => {
    if (result.findings.some((one) => keyOf(one) === keyOf(finding))) return
    result.findings.push(finding)
    onFinding?.(finding)
  }
  let blocked = 0
  const endSeed = request.first + request.seeds
  for (let first = request.first; first < endSeed && blocked < MOST_BLOCKED && !signal?.aborted;) {
    const part = {
      ...request,
      testing,
      first,
      seeds: Math.min(SEEDS_PER_PROCESS, endSeed - first),
      known: result.findings.map(keyOf),
    }
    let last = first - 1
    const stuck = await playPart(part, options, (message) => {
      if (message.kind === 'ready') result.handlers = message.handlers
      else if (message.kind === 'finding') add(message.finding)
      else if (message.kind === 'coverage') coverages.push(message.files)
      else if (message.kind === 'seed') {
        last = message.seed
        onProgress?.(++result.seeds)
      }
    })
    first = stuck ? Math.max(last + 1, stuck.seed + 1) : first + part.seeds
    if (!stuck) continue
    if (stuck.play !== undefined) result.seeds++
    if (stuck.reason !== 'ends') blocked++
    add(findingOf(stuck, request.root))
  }
  result.interrupted = signal?.aborted === true
  result.coverage = joinCoverage(coverages)
  return result
}

/** The play at which a process hangs or ends. */
interface Stuck extends Omit<StuckReport, 'reason'> {
  reason: StuckReason | 'ends'
  seed: number
  /** The acts so far. */
  steps: string[]
  /** The file of the last act. */
  file: string
  play: unknown
}

const texts: Readonly<Record<Stuck['reason'], string>> = {
  ends: 'its handler ends the process',
  blocks: 'its handler blocks the thread: nothing else happens while it computes for 10 s',
  waits: 'its handler blocks the thread: it waits for something outside of the simulation; the play was given up',
  long: 'a play goes on for minutes of computing, and was given up; pass fewer --minutes if it is long',
}

function findingOf({ seed, reason, stack, steps, file, play }: Stuck, root: string): Finding {
  const [own] = stack.split('\n').flatMap((line) => ownPlace(line, root) ?? [])
  return {
    kind: 'blocked',
    // Other programs can be the reason why it waits, and a long play may end.
    severity: reason === 'ends' || reason === 'blocks' ? 'fault' : 'warning',
    ...(own ? { file: own.file, line: own.line } : { file }),
    text: texts[reason],
    ...{ seed, steps, play },
  }
}

/** Plays some seeds in one process. Resolves with the step at which it hangs or dies, if it does. */
function playPart(
  request: SimulationRequest,
  { signal, environment }: Options,
  receive: (message: SimulationMessage) => void,
): Promise<Stuck | undefined> {
  return new Promise((resolve, reject) => {
    // The output of the bot is not part of the report.
    const process_ = fork(child, {
      cwd: request.root,
      ...(environment && { env: { ...environment, NODE_OPTIONS: undefined } }),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
      execArgv: [],
    })
    let at: Omit<Stuck, 'reason' | 'stack'> = {
      ...{ seed: request.first, steps: [], file: 'the bot', play: undefined },
    }
    let isDone = false
    let errors = ''
    process_.stderr!.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(-2000)))
    const reports = createInterface({ input: process_.stdio[REPORT_FD] as Readable })
    reports.once('line', (line) => {
      process_.kill('SIGKILL')
      finish(() => resolve({ ...at, ...(JSON.parse(line) as StuckReport) }))
    })
    const interrupt = () => {
      process_.kill('SIGKILL')
      finish(() => resolve(undefined))
    }
    const finish = (end: () => void) => {
      if (isDone) return
      isDone = true
      reports.close()
      signal?.removeEventListener('abort', interrupt)
      end()
    }
    signal?.addEventListener('abort', interrupt, { once: true })
    process_.on('message', (message: SimulationMessage) => {
      if (message.kind === 'play') at = { ...at, seed: message.seed, play: message.play, steps: [] }
      else if (message.kind === 'at') at = { ...at, file: message.file, steps: [...at.steps, message.step] }
      else if (message.kind === 'done') finish(() => resolve(undefined))
      else if (message.kind === 'failed')
        finish(() =>
          reject(
            message.code?.startsWith('ERR_') && message.code !== 'ERR_HANDLER'
              ? new BotwrightError('ERR_CONFIG', message.message)
              : Object.assign(new Error(message.message), { stack: message.stack }),
          ),
        )
      else receive(message)
    })
    process_.once('error', (error) => finish(() => reject(error)))
    process_.once('close', () =>
      finish(() =>
        at.steps.length === 0
          ? reject(
              new BotwrightError(
                'ERR_CONFIG',
                `the simulation ended by itself: ${errors.trim() || 'the bot ends its process'}`,
              ),
            )
          : resolve({ ...at, reason: 'ends', stack: '' }),
      ),
    )
    process_.send(request)
  })
}

/** A line is missed if no process has reached it. */
function joinCoverage(parts: readonly FileCoverage[][]): FileCoverage[] {
  const files = new Map<string, FileCoverage>()
  for (const one of parts.flat()) {
    const former = files.get(one.file)
    if (!former) files.set(one.file, one)
    else
      files.set(one.file, {
        ...one,
        missed: former.missed.flatMap((range) => one.missed.flatMap((other) => both(range, other))),
      })
  }
  return [...files.values()].sort((a, b) => (a.file < b.file ? -1 : 1))
}

const both = ([a, b]: [number, number], [c, d]: [number, number]): [number, number][] =>
  Math.max(a, c) <= Math.min(b, d) ? [[Math.max(a, c), Math.min(b, d)]] : []
