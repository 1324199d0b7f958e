import type { LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf, isEventWebhookUrl, isLoopback, isPublicAddress } from '../public-address.ts'
import type { Resolve } from './resolve.ts'

export interface EventPost {
  url: string
  headers: Record<string, string>
  body: string
}

export interface EventPostOptions {
  /** Whether the receiver may stand on this machine. */
  allowLoopback: boolean
  resolve: Resolve
  /** Ends the attempt, whatever it waits for. */
  signal: AbortSignal
}

/**
 * Posts once; resolves when the receiver answers, whatever it answers, and rejects when it does not. Redirects are answers.
 * The connection goes to the addresses that were checked, which are not looked up again in between: a name that leads to a public
 * address first and to a private one a moment later gets nowhere.
 */
export async function postEvent({ url: text, headers, body }: EventPost, options: EventPostOptions): Promise<void> {
  const { allowLoopback, signal } = options
  if (!isEventWebhookUrl(text, allowLoopback)) throw new Error('the address is not public')
  const url = new URL(text)
  const addresses = await addressesOf(url, options)
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // A connection for each post: one that was kept may be closed by the receiver just when the next event goes out.
      agent: false,
      lookup: checkedLookup(addresses),
      signal,
    })
    request.on('error', reject)
    // An answer that changes the protocol is none: the connection ends without a word.
    request.on('close', () => reject(new Error('the receiver closed the connection')))
    request.on('response', (response) => {
      // Only that it answered counts: what it says is not read, however long it is.
      response.on('error', () => resolve()).destroy()
      resolve()
    })
    request.end(body)
  })
}

/** The addresses behind a URL, every one of them allowed. */
async function addressesOf(url: URL, { allowLoopback, resolve, signal }: EventPostOptions): Promise<LookupAddress[]> {
  const host = hostOf(url)
  if (allowLoopback && isLoopback(url.href)) {
    const found = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
    return found.map((address) => ({ address, family: isIP(address) }))
  }
  const addresses = isIP(host) === 0 ? await resolve(host, signal) : [{ address: host, family: isIP(host) }]
  if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new Error('the address is not public')
  }
  return addresses
}

/** Answers what was checked; sockets ask it for names only, and take plain addresses as they stand. */
const checkedLookup =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, { all }, answer) => {
    if (all) answer(null, addresses)
    else answer(null, addresses[0]!.address, addresses[0]!.family)
  }
