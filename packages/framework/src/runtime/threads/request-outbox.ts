import type { Outbox } from '../../link/ports.ts'
import type { OutboxRequest } from '../../link/messages.ts'

/** Does with the supervisor's outbox what a worker asks for. */
export function requestOutbox(outbox: Outbox, request: OutboxRequest): Promise<unknown> {
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
