import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** All addresses behind a name. Rejects when there are none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<LookupAddress[]>

/**
 * Asks the name servers, and nothing else: the machine's own list of names is no way to a public address. The system's lookup would
 * hold a thread of the pool for every slow name, and with four of them also every file that the service reads.
 */
export const resolveName: Resolve = (host, signal) => resolveWith(new Resolver({ tries: 1 }), host, signal)

/** The same, asking the name servers of a resolver. */
export async function resolveWith(resolver: Resolver, host: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (addresses.length === 0) throw new Error('the name leads to no address')
    return addresses.map((address) => ({ address, family: isIP(address) }))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
