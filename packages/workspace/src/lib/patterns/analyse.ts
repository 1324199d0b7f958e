import { once } from 'node:events'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** A pattern for the analysis. */
export interface Question {
  source: string
  flags: string
}

/** The problem of a pattern: `2nd degree polynomial, for instance on '-'.repeat(27000) + 'x'`. Undefined if it takes linear time. */
export type Verdict = string | undefined

/** In real time, on a machine that may be busy. Patterns that are written well take a second at most. */
const TIMEOUT_MS = 120_000

// The checker's JavaScript build; on some systems, its default program requires Java.
const program = `
const { parentPort, workerData } = require('node:worker_threads')
process.env.RECHECK_SYNC_BACKEND = 'pure'
const { checkSync } = require(workerData.recheck)
parentPort.on('message', ({ source, flags }) => {
  const { status, complexity, attack, error } = checkSync(source, flags, { timeout: ${TIMEOUT_MS} })
  if (status === 'safe') parentPort.postMessage(undefined)
  else if (status === 'vulnerable') parentPort.postMessage(complexity.summary + ', for instance on ' + attack.pattern)
  else parentPort.postMessage('could not be analysed: ' + (error.message ?? error.kind))
})`

/** Analyzes each pattern with the ReDoS checker, on all processors. */
export async function analyse(questions: readonly Question[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let next = 0
  const recheck = createRequire(import.meta.url).resolve('recheck')
  const work = async () => {
    if (next >= questions.length) return
    const worker = new Worker(program, { eval: true, workerData: { recheck } })
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
