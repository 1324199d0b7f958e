import type { CallHandle, RestOptions } from '../call-types.ts'
import { createCallOver } from '../call.ts'
import type { Connect } from '../connection/exchange.ts'
import { connectByHttp } from '../connection/transport.ts'

/** Calls the service over connections of this process, or over those of `connect`. See `createCallOver`. */
export const createCall = (options: RestOptions): CallHandle =>
  createCallOver(options, (options.connect as Connect | undefined) ?? connectByHttp)
