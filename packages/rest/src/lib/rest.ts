import type { RestOptions } from './call-types.ts'
import { createCall } from './calls/http-call.ts'
import { createClient, type Client } from './client.ts'

/** A client with a way to the service of its own. */
export function createRest(options: RestOptions): Client & AsyncDisposable {
  const call = createCall(options)
  return Object.assign(createClient(call), { [Symbol.asyncDispose]: () => call[Symbol.asyncDispose]() })
}
