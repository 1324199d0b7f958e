import type { Call, CallOptions } from '@botwright/rest'
import type { StateStore } from '../author/ports.ts'
import { readKey, writeValue } from '../author/state/store-text.ts'
import { withCallSite } from '../link/errors/call-site.ts'
import type { Link } from '../link/link.ts'
import type { BotPort, RuntimePort, SpanId } from '../link/messages.ts'
import type { Outbox } from '../link/ports.ts'
import type { EventScope } from './event-scope.ts'

/** What tracing adds to the options of a call that may leave the thread. */
export interface TracedCallOptions extends CallOptions {
  span?: SpanId
}

/** What the bot's code acts by in a thread: the client, the store and the outbox of the runtime, at the other end of the link. */
export function linkedServices(
  { request }: Link<BotPort, RuntimePort>,
  scope: EventScope | undefined,
): { call: Call; store: StateStore; outbox: Outbox } {
  const located = <A extends unknown[], R>(run: (...args: A) => Promise<R>) => withCallSite(run, false)
  const { store, broadcasts, outbox } = request
  return {
    call: (async (name: string, input: unknown, options: TracedCallOptions = {}) => {
      const { signal, priority, timeoutMs, span } = options
      const eventId = scope?.eventId
      // The message leaves at the end of this turn: what its author changes until then belongs to the next call.
      return request.client.call(name, structuredClone(input), {
        signal,
        ...(priority !== undefined && { priority }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(eventId !== undefined && { eventId }),
        ...(span && { span }),
      })
    }) as unknown as Call,
    store: {
      get: located(async (key) => store.get(readKey(key))),
      // A value travels as JSON keeps it: another thread's copy would differ from it.
      set: located(async (key, value, options) =>
        store.set(readKey(key), JSON.parse(writeValue(key, value)), { ...options }),
      ),
      delete: located(async (key, options) => store.delete(readKey(key), { ...options })),
      list: located((prefix, options) => store.list(prefix, { ...options })),
    },
    outbox: {
      broadcasts: {
        start: located(async (id, input) => broadcasts.start(id, structuredClone(input))),
        next: located((id, done) => broadcasts.next(id, done)),
        cancel: located((id) => broadcasts.cancel(id)),
      },
      budget: located(() => outbox.budget()),
    },
  }
}
