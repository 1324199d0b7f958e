// The package's front door loads fetch, WebSocket and caches as well: 65 ms of start against 35.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'
  const pool: typeof Pool
  export default pool
}

declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici'
  const connector: typeof buildConnector
  export default connector
}
