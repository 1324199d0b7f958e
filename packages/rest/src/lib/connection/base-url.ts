import { BotwrightError } from '@botwright/protocol/facts'

/** Parses an address. The error never contains it: the address of a channel webhook is a secret. */
export function baseOf(address: string, what = 'the base URL'): { origin: string; path: string } {
  let url: URL | undefined
  try {
    url = new URL(address)
  } catch {
    // Node's own error contains the whole address.
  }
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
    throw new BotwrightError('ERR_CONFIG', `${what} is not an http or https URL; correct it`)
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
}
