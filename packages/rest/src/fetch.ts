// Calls over the global `fetch`, for programs without sockets of their own, such as functions. It loads no code of connections.
export type { Call, CallHandle, CallOptions, RestOptions } from './lib/call-types.ts'
export { createFetchCall } from './lib/calls/fetch-call.ts'
export type { LimitStore, Priority } from './lib/limit-store.ts'
