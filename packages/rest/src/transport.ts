// The way to the service without the table of endpoints, for programs that look at single responses.
export { proxyFor } from './lib/proxy.ts'
export type { Proxy } from './lib/proxy.ts'
export { Transport, TransportFailure } from './lib/transport.ts'
export type { Answer, Connect, FailureKind, Sending } from './lib/transport.ts'
