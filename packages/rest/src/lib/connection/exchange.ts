// One exchange with the service, without the code that sends it.

import type { Clock } from '@botwright/clock'
import type { Route } from '@botwright/protocol/facts'
import type { Proxy } from './proxy.ts'

/** One request, ready to be sent. */
export interface Sending {
  method: Route['method']
  /** Includes the base URL's own path. */
  path: string
  /** Name, value, name, value … */
  headers: string[]
  body: string | Uint8Array | null
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** A complete response with its whole body. */
export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** When its headers arrived, in milliseconds since 1970: its body may take much longer. Undefined: just now. */
  beganMs?: number
}

/** Why no complete response arrived: the request was not sent, the connection broke, and so on. */
export type FailureKind = 'not_sent' | 'lost' | 'timeout' | 'too_large' | 'aborted'

/** No complete response arrived. `left`: whether the request may have reached the service. */
export class TransportFailure extends Error {
  readonly kind: FailureKind
  readonly left: boolean

  constructor(kind: FailureKind, left: boolean, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'TransportFailure'
    this.kind = kind
    this.left = left
  }
}

/** A way to the service. */
export interface Transporting {
  send(sending: Sending): Promise<Answer>
  /** Waits for running exchanges. */
  close(): Promise<void>
  /** Closes immediately, aborting running exchanges. */
  destroy(): Promise<void>
}

/** Opens the way to the service at an address. */
export type Connect = (
  origin: string,
  options: { clock: Clock; maxBytes: number; connections: number; proxy: Proxy | undefined },
) => Transporting
