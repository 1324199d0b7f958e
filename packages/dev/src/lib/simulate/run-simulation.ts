import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'
import { type FileCoverage, type Finding, keyOf, type SimulationMessage, type SimulationRequest } from './finding.ts'

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

/** Longer than a seed and the shrinking of a problem take on a busy machine. */
const BLOCKED_MS = 45_000
/** Each of these plays costs that time. */
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
    if (stuck && !stuck.ended) blocked++
    if (stuck)
      add({
        ...{
          kind: 'blocked',
          severity: 'fault',
          file: stuck.file,
          seed: stuck.seed,
          steps: [stuck.step],
          play: undefined,
        },
        text: stuck.ended
          ? 'its handler ends the process'
          : `its handler blocks the thread: nothing else happens for ${BLOCKED_MS / 1000} s`,
      })
  }
  result.interrupted = signal?.aborted === true
  result.coverage = joinCoverage(coverages)
  return result
}

interface Stuck {
  seed: number
  step: string
  file: string
  ended: boolean
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
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    })
    let at: Stuck = { seed: request.first, step: '', file: 'the bot', ended: false }
    let isDone = false
    let errors = ''
    process_.stderr!.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(-2000)))
    const blocked = () => {
      process_.kill('SIGKILL')
      finish(() => resolve(at))
    }
    let timer = setTimeout(blocked, BLOCKED_MS)
    const interrupt = () => {
      process_.kill('SIGKILL')
      finish(() => resolve(undefined))
    }
    const finish = (end: () => void) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', interrupt)
      end()
    }
    signal?.addEventListener('abort', interrupt, { once: true })
    process_.on('message', (message: SimulationMessage) => {
      clearTimeout(timer)
      timer = setTimeout(blocked, BLOCKED_MS)
      if (message.kind === 'at') at = { ...message, ended: false }
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
        at.step === ''
          ? reject(
              new BotwrightError(
                'ERR_CONFIG',
                `the simulation ended by itself: ${errors.trim() || 'the bot ends its process'}`,
              ),
            )
          : resolve({ ...at, ended: true }),
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
