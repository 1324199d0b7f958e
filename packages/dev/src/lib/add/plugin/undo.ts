import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'

interface Step {
  /** The trace that remains if it cannot be undone: a file, or packages in node_modules. */
  left: string
  undo: () => void | Promise<void>
}

/** Runs work that records how to undo its steps, and undoes them if it fails. Rejects with its error, and with what is left. */
export async function orUndo<T>(work: (did: (left: string, undo: Step['undo']) => void) => Promise<T>): Promise<T> {
  const steps: Step[] = []
  try {
    return await work((left, undo) => steps.push({ left, undo }))
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
    const text = `${(error as Error).message}\n${result}`
    throw new BotwrightError(isBotwrightError(error) ? error.code : 'ERR_CONFIG', text, { cause: error })
  }
}
