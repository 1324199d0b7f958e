import { toPlainError } from './errors/plain-error.ts'
import type { ToWorker } from './messages.ts'

/** Does what a worker asks for, and puts it into an answer. Never rejects. */
export async function answerRequest(id: number, work: () => Promise<unknown>): Promise<ToWorker> {
  try {
    return { kind: 'answer', id, value: await work() }
  } catch (error) {
    return { kind: 'refusal', id, error: toPlainError(error) }
  }
}
