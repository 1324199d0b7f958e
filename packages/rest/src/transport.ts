// The way to the service without the table of endpoints, for programs that look at single responses.
export { proxyFor } from './lib/connection/proxy.ts'
export type { Proxy } from './lib/connection/proxy.ts'
export { TransportFailure } from './lib/connection/exchange.ts'
export type { Answer, Connect, FailureKind, Sending } from './lib/connection/exchange.ts'
export { Transport } from './lib/connection/transport.ts'
