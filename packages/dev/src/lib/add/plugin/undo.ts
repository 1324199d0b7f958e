import type { ProgramIo } from '@botwright/framework/start'
import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'

interface Step {
  /** The trace that remains if it cannot be undone: a file, or packages in node_modules. */
  trace: string
  undo: () => void | Promise<void>
}

/** Records how to undo a step, and the trace that remains if that fails. */
export type RecordStep = (trace: Step['trace'], undo: Step['undo']) => void

/**
 * Runs work that records how to undo its steps, and undoes them if it fails. Rejects with its error, and with the changes that remain.
 * Meanwhile, a signal does not end the process: the steps are undone after the work.
 */
export async function withUndo<T>(signals: ProgramIo['signals'], work: (record: RecordStep) => Promise<T>): Promise<T> {
  const steps: Step[] = []
  let isInterrupted = false
  const interrupt = () => void (isInterrupted = true)
  for (const one of ['SIGINT', 'SIGTERM'] as const) signals.on(one, interrupt)
  try {
    const result = await work((trace, undo) => steps.push({ trace, undo }))
    if (isInterrupted) throw new Error('interrupted')
    return result
  } catch (error) {
    const remaining: string[] = []
    for (const step of steps.reverse()) {
      try {
        await step.undo()
      } catch (reason) {
        remaining.push(`${step.trace} (${(reason as Error).message})`)
      }
    }
    const result = remaining.length > 0 ? `These changes remain:\n${remaining.join('\n')}` : 'Every change was undone.'
    // A program that the signal ended has no better reason.
    const text = `${isInterrupted ? 'interrupted' : (error as Error).message}\n${result}`
    throw new BotwrightError(isBotwrightError(error) ? error.code : 'ERR_CONFIG', text, { cause: error })
  } finally {
    for (const one of ['SIGINT', 'SIGTERM'] as const) signals.off(one, interrupt)
  }
}
