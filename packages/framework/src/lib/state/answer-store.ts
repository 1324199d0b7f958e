import type { StateStore } from '../ports.ts'
import { toPlainError } from '../worker-error.ts'
import type { FromWorker, StoreRequest, ToWorker } from '../worker-protocol.ts'

/** Does on the supervisor's store what a worker asks for. Never rejects. */
export async function answerStore(
  store: StateStore,
  { id, request }: FromWorker & { kind: 'store' },
): Promise<ToWorker> {
  try {
    return { kind: 'answer', id, value: await doRequest(store, request) }
  } catch (error) {
    return { kind: 'refusal', id, error: toPlainError(error) }
  }
}

function doRequest(store: StateStore, request: StoreRequest): Promise<unknown> {
  switch (request.method) {
    case 'get':
      return store.get(request.key)
    case 'set':
      return store.set(request.key, JSON.parse(request.text), request)
    case 'delete':
      return store.delete(request.key, request)
    case 'list':
      return store.list(request.prefix, request)
  }
}
