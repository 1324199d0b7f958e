// The process of a simulation: `run-simulation.ts` starts it.

import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { mapStacks } from '@botwright/framework/start'
import type { SimulationMessage, SimulationRequest } from './finding.ts'

/** The part of `@botwright/testing/simulation` that it needs. */
interface Testing {
  playSeeds: (request: SimulationRequest, send: (message: SimulationMessage) => void) => Promise<void>
}

mapStacks()
/** Turns of the event loop, and messages: what the watching thread sees of this one. */
const counts = new Int32Array(new SharedArrayBuffer(8))
const TURN_MS = 100
// Before the globals are replaced.
setInterval(() => void Atomics.add(counts, 0, 1), TURN_MS).unref()
new Worker(new URL('./watch-thread.js', import.meta.url), { workerData: { counts } }).unref()
const send = (message: SimulationMessage): void => {
  Atomics.add(counts, 1, 1)
  process.send!(message)
}
// Ctrl-C is for the program that started it.
process.once('SIGINT', () => {})
// The program that started it has gone.
process.once('disconnect', () => process.kill(process.pid))
process.once('message', (request: SimulationRequest) => void run(request))

async function run(request: SimulationRequest): Promise<void> {
  try {
    const { playSeeds } = (await import(pathToFileURL(request.testing).href)) as Testing
    await playSeeds(request, send)
    send({ kind: 'done' })
  } catch (error) {
    const {
      message,
      stack = '',
      code,
    } = (error instanceof Error ? error : new Error(String(error))) as Error & { code?: unknown }
    send({ kind: 'failed', message, stack, ...(typeof code === 'string' && { code }) })
  }
  process.disconnect()
}
