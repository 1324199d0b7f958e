// The shape of a client without a transport, for another kind of `Call` (in a worker thread).
export { createClient } from './lib/client.ts'
