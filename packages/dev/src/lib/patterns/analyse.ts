import { once } from 'node:events'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** A pattern for the analysis. */
export interface Question {
  source: string
  flags: string
}

/** A pattern that takes more than linear time. */
export interface SlowPattern {
  /** `2nd degree polynomial, for instance on '-'.repeat(27000) + 'x'`, or why the pattern could not be analyzed. */
  text: string
  /** How the time grows with the length of the text: `Infinity` if exponentially, undefined if that is unknown. */
  degree: number | undefined
}

/** Undefined if the pattern takes linear time. */
export type Verdict = SlowPattern | undefined

/** In real time, on a machine that may be busy. Patterns that are written well take a second at most. */
const TIMEOUT_MS = 120_000

/**
 * The ReDoS checker as one file, without the programs for each system that its package brings along. The build copies it;
 * the sources, which also run before the first build, read it from the package.
 */
const checker = import.meta.url.endsWith('.ts')
  ? join(dirname(createRequire(import.meta.url).resolve('recheck/package.json')), 'lib/browser.js')
  : fileURLToPath(new URL('../../recheck/recheck.cjs', import.meta.url))

const program = `
const { parentPort, workerData } = require('node:worker_threads')
const { checkSync } = require(workerData.checker)
parentPort.on('message', ({ source, flags }) => {
  const { status, complexity, attack, error } = checkSync(source, flags, { timeout: workerData.timeoutMs })
  if (status === 'safe') return parentPort.postMessage(undefined)
  const text = status === 'vulnerable'
    ? complexity.summary + ', for instance on ' + attack.pattern
    : 'could not be analysed: ' + (error.message ?? error.kind)
  const degree = status === 'vulnerable' ? (complexity.type === 'exponential' ? Infinity : complexity.degree) : undefined
  parentPort.postMessage({ text, degree })
})`

/** Analyzes each pattern with the ReDoS checker, on all processors. */
export async function analyse(questions: readonly Question[], timeoutMs = TIMEOUT_MS): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let next = 0
  const work = async () => {
    if (next >= questions.length) return
    const worker = new Worker(program, { eval: true, workerData: { checker, timeoutMs } })
    try {
      while (next < questions.length) {
        const at = next++
        worker.postMessage(questions[at])
        // once() resolves with the arguments of the event, a list.
        const [verdict] = (await once(worker, 'message')) as [Verdict]
        verdicts[at] = verdict
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return verdicts
}

/** Whether a pattern contains unlimited repetition; all others take linear time. */
export const isUnbounded = ({ source }: Pick<Question, 'source'>): boolean =>
  // In a class, `*` and `+` are characters.
  /[*+]|\{\d+,\}/.test(source.replaceAll(/\\./g, '').replaceAll(/\[[^[\]]*\]/g, ''))
