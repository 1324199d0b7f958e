import type { Outbox } from '../ports.ts'
import { toPlainError } from '../worker-error.ts'
import type { FromWorker, OutboxRequest, ToWorker } from '../worker-protocol.ts'

/** Does with the supervisor's outbox what a worker asks for. Never rejects. */
export async function answerOutbox(
  outbox: Outbox,
  { id, request }: FromWorker & { kind: 'outbox' },
): Promise<ToWorker> {
  try {
    return { kind: 'answer', id, value: await doRequest(outbox, request) }
  } catch (error) {
    return { kind: 'refusal', id, error: toPlainError(error) }
  }
}

function doRequest(outbox: Outbox, request: OutboxRequest): Promise<unknown> {
  const { broadcasts } = outbox
  switch (request.method) {
    case 'start':
      return broadcasts.start(request.broadcast, request)
    case 'next':
      return broadcasts.next(request.broadcast, request.done)
    case 'cancel':
      return broadcasts.cancel(request.broadcast)
    case 'budget':
      return outbox.budget()
  }
}
