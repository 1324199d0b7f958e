// The shape of a client without a way to the service, for whoever has a `Call` of another kind (a worker thread).
export { createClient } from './lib/client.ts'
