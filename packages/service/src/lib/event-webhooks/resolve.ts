import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Resolves all addresses of a name. Rejects if there are none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<LookupAddress[]>

/**
 * Queries the name servers only, not the hosts file, which does not contain public names. The system's lookup would block a thread
 * of the pool per slow name, and four of those would block all file access of the service.
 */
export const resolveName: Resolve = (host, signal) => resolveWith(new Resolver({ tries: 1 }), host, signal)

/** Like `resolveName`, with the name servers of a resolver. */
export async function resolveWith(resolver: Resolver, host: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (addresses.length === 0) throw new Error('the host name has no address')
    return addresses.map((address) => ({ address, family: isIP(address) }))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
