// The process of a simulation: `run-simulation.ts` starts it.

import { pathToFileURL } from 'node:url'
import { mapStacks } from '@botwright/framework/start'
import type { SimulationMessage, SimulationRequest } from './finding.ts'

/** The part of `@botwright/testing/simulation` that it needs. */
interface Testing {
  playSeeds: (request: SimulationRequest, send: (message: SimulationMessage) => void) => Promise<void>
}

mapStacks()
const send = (message: SimulationMessage): void => void process.send!(message)
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
