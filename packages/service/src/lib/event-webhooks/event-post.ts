import type { LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf } from '@botwright/protocol/host'
import { isEventWebhookUrl, isLoopback, isPublicAddress } from './public-address.ts'
import type { Resolve } from './resolve.ts'

export interface EventPost {
  url: string
  headers: Record<string, string>
  body: string
}

export interface EventPostOptions {
  /** Whether the receiver may be on this machine. */
  allowLoopback: boolean
  resolve: Resolve
  /** Aborts the attempt. */
  signal: AbortSignal
}

/**
 * Posts once. Resolves on any response, including redirects, and rejects if there is none.
 * Connects to the checked addresses without another lookup. So a name that resolves to a public address first and to a private
 * one later (DNS rebinding) cannot reach the private one.
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
      // A new connection per post: the receiver may close a kept one just when the next event is sent.
      agent: false,
      lookup: checkedLookup(addresses),
      signal,
    })
    request.on('error', reject)
    // A protocol upgrade is not a response: the connection closes without one.
    request.on('close', () => reject(new Error('the receiver closed the connection')))
    request.on('response', (response) => {
      // The response body is not read, however long it is.
      response.on('error', () => resolve()).destroy()
      resolve()
    })
    request.end(body)
  })
}

/** Resolves the addresses of a URL; throws unless all of them are allowed. */
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

/** A lookup function that returns the checked addresses. Sockets call it for names only, not for IP addresses. */
const checkedLookup =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, { all }, answer) => {
    if (all) answer(null, addresses)
    else answer(null, addresses[0]!.address, addresses[0]!.family)
  }
