import { createServer, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isEventWebhookUrl, isLoopback, isPublicAddress } from './public-address.ts'
import { type EventPostOptions, postEvent } from './event-post.ts'
import {
  privateIpv4,
  privateIpv6,
  privateNames,
  privateUrls,
  publicIpv4,
  publicIpv6,
} from './private-addresses.test.fixture.ts'

const post = (url: string, options: Partial<EventPostOptions> = {}) =>
  postEvent(
    { url, headers: {}, body: '{}' },
    { allowLoopback: false, resolve: resolveFrom(privateNames), signal: new AbortController().signal, ...options },
  )

const resolveFrom = (table: Record<string, string[]>) => (host: string) => {
  const found = table[host]
  if (!found) throw new Error(`${host} was looked up: it should have been refused before`)
  return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
}

/** Records everything on this machine that a forbidden post could reach, and every socket that connects. */
let heard = 0
const listener = createServer((socket) => {
  heard += 1
  socket.destroy()
})
const connect = vi.spyOn(Socket.prototype, 'connect')
let port = 0
beforeEach(async () => {
  heard = 0
  connect.mockClear()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  port = (listener.address() as AddressInfo).port
})
afterEach(() => new Promise((resolve) => listener.close(resolve)))

describe('event webhooks reach public https addresses only', () => {
  it('distinguishes public addresses at the boundaries of networks', () => {
    const wrong = (addresses: string[], wanted: boolean) => addresses.filter((each) => isPublicAddress(each) !== wanted)
    expect([wrong(privateIpv4, false), wrong(privateIpv6, false)]).toEqual([[], []])
    expect([wrong(publicIpv4, true), wrong(publicIpv6, true)]).toEqual([[], []])
    expect(['', 'localhost', '1.2.3', '1.2.3.4.5', '2606:4700::1%eth0'].some(isPublicAddress)).toBe(false)
  })

  it('opens no connection for more than 300 notations of private addresses', async () => {
    const urls = privateUrls(port)
    expect(urls.filter((url) => URL.canParse(url)).length).toBeGreaterThan(300)
    expect(urls.filter((url) => isEventWebhookUrl(url, false))).toEqual([])
    for (const url of urls) await expect(post(url), url).rejects.toThrow('the address is not public')
    expect([connect.mock.calls.length, heard]).toEqual([0, 0])
  })

  it('opens no connection for names that resolve to at least one private address', async () => {
    for (const name of Object.keys(privateNames)) {
      const url = `https://${name}:${port}/`
      expect(isEventWebhookUrl(url, false)).toBe(true)
      for (const allowLoopback of [false, true]) {
        await expect(post(url, { allowLoopback }), name).rejects.toThrow('the address is not public')
      }
    }
    expect([connect.mock.calls.length, heard]).toEqual([0, 0])
  })

  it('with loopback allowed, opens no connection to other private addresses', async () => {
    const others = privateUrls(port).filter((url) => !isLoopback(url))
    expect(others.length).toBeGreaterThan(250)
    for (const url of others) {
      await expect(post(url, { allowLoopback: true }), url).rejects.toThrow('the address is not public')
    }
    expect([connect.mock.calls.length, heard]).toEqual([0, 0])
  })

  it('connects to loopback if allowed, which the recorder detects', async () => {
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1']) {
      await expect(post(`http://${host}:${port}/`, { allowLoopback: true })).rejects.toThrow(
        /socket hang up|ECONNRESET/,
      )
    }
    expect(heard).toBe(4)
    expect(connect.mock.calls.length).toBeGreaterThanOrEqual(4)
  })

  it('connects to the checked addresses, even if the name resolves differently later', async () => {
    const answers = [['93.184.216.34', '2606:4700:4700::1111'], ['127.0.0.1']]
    let asked = 0
    const resolve = (host: string) => resolveFrom({ [host]: answers[asked++] ?? [] })(host)
    connect.mockImplementationOnce(function (this: Socket) {
      setImmediate(() => this.destroy(new Error('stopped before it connects')))
      return this
    })
    await expect(post('https://rebinding.example/', { resolve })).rejects.toThrow('stopped before it connects')
    // A TLS socket gets its target from the options; the given lookup returns a single address.
    const [options] = connect.mock.calls[0] as unknown as [
      Parameters<Socket['connect']>[0] & { lookup: Lookup; host: string },
    ]
    expect(options.host).toBe('rebinding.example')
    const found = (all: boolean) => new Promise((done) => options.lookup('x', { all }, (_error, ...rest) => done(rest)))
    for (let i = 0; i < 2; i++) {
      expect(await found(true)).toEqual([
        [
          { address: '93.184.216.34', family: 4 },
          { address: '2606:4700:4700::1111', family: 6 },
        ],
      ])
      expect(await found(false)).toEqual(['93.184.216.34', 4])
    }
    expect(asked).toBe(1)
    await expect(post('https://rebinding.example/', { resolve })).rejects.toThrow('the address is not public')
    expect([connect.mock.calls.length, heard]).toEqual([1, 0])
  })

  it('can be aborted during the lookup', async () => {
    const end = new AbortController()
    const resolve = (host: string) => {
      end.abort()
      return resolveFrom({ [host]: ['93.184.216.34'] })(host)
    }
    await expect(post('https://slow.example/', { resolve, signal: end.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(connect).not.toHaveBeenCalled()
  })
})

type Lookup = (
  host: string,
  options: { all: boolean },
  answer: (error: Error | null, ...found: unknown[]) => void,
) => void
