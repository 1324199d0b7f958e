import { BotwrightError } from '@botwright/protocol/facts'

/** An address, taken apart once. The error never holds the address: a channel webhook's is a secret. */
export function baseOf(address: string, what = 'the base URL'): { origin: string; path: string } {
  let url: URL | undefined
  try {
    url = new URL(address)
  } catch {
    // Node's own error keeps the whole address.
  }
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
    throw new BotwrightError('ERR_CONFIG', `${what} is not an http or https address; correct it`)
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
}
