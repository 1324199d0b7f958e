import type { StateStore } from '../../author/ports.ts'
import type { StoreRequest } from '../../link/messages.ts'

/** Does on the supervisor's store what a worker asks for. */
export function requestStore(store: StateStore, request: StoreRequest): Promise<unknown> {
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
