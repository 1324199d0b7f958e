import type { ProgramIo } from '@botwright/framework/start'
import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'

interface Step {
  /** The trace that remains if it cannot be undone: a file, or packages in node_modules. */
  left: string
  undo: () => void | Promise<void>
}

/** Records how to undo a step, and what is left if that fails. */
export type Did = (left: Step['left'], undo: Step['undo']) => void

/**
 * Runs work that records how to undo its steps, and undoes them if it fails. Rejects with its error, and with what is left. A signal does
 * not end the process meanwhile, but undoes the steps after the work.
 */
export async function orUndo<T>(signals: ProgramIo['signals'], work: (did: Did) => Promise<T>): Promise<T> {
  const steps: Step[] = []
  let isInterrupted = false
  const interrupt = () => void (isInterrupted = true)
  for (const one of ['SIGINT', 'SIGTERM'] as const) signals.on(one, interrupt)
  try {
    const result = await work((left, undo) => steps.push({ left, undo }))
    if (isInterrupted) throw new Error('interrupted')
    return result
  } catch (error) {
    const left: string[] = []
    for (const step of steps.reverse()) {
      try {
        await step.undo()
      } catch (reason) {
        left.push(`${step.left} (${(reason as Error).message})`)
      }
    }
    const result = left.length > 0 ? `This is left:\n${left.join('\n')}` : 'Every change was undone.'
    // A program that the signal ended has no better reason.
    const text = `${isInterrupted ? 'interrupted' : (error as Error).message}\n${result}`
    throw new BotwrightError(isBotwrightError(error) ? error.code : 'ERR_CONFIG', text, { cause: error })
  } finally {
    for (const one of ['SIGINT', 'SIGTERM'] as const) signals.off(one, interrupt)
  }
}
