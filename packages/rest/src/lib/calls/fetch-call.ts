import type { CallHandle, RestOptions } from '../call-types.ts'
import { createCallOver } from '../call.ts'
import { connectByFetch } from '../connection/fetch-transport.ts'

/** Calls the service with the global `fetch`. See `createCallOver`. */
export const createFetchCall = (options: RestOptions): CallHandle => createCallOver(options, connectByFetch)
