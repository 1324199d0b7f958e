// Loaded only for requests that need it.

import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hostOf } from '@botwright/protocol/host'
import type { buildConnector } from 'undici'
import createConnector from 'undici/lib/core/connect.js'
import type { Proxy } from './proxy.ts'

/** As long as undici waits for a direct connection. */
const OPEN_MS = 10_000

/** Keeps the TLS sessions for all tunnels. */
const startTls = createConnector({})

/** A TLS connection to an https origin, through a proxy. */
export async function openTunnel(proxy: Proxy, target: buildConnector.Options): Promise<Socket> {
  const httpSocket = (await connect(proxy, target)) as Socket
  return new Promise((resolve, reject) =>
    startTls({ ...target, httpSocket }, (error, socket) => (error ? reject(error) : resolve(socket))),
  )
}

function connect({ origin, authorization }: Proxy, { host, hostname, port }: buildConnector.Options): Promise<Duplex> {
  const url = new URL(origin)
  const path = port ? (host ?? `${hostname}:${port}`) : `${host ?? hostname}:443`
  const name = hostOf(url)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'CONNECT',
      path,
      agent: false,
      timeout: OPEN_MS,
      headers: { host: path, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
      // Otherwise Node takes the name from the header `Host`.
      servername: isIP(name) === 0 ? name : '',
    })
    request.once('timeout', () => request.destroy(failure('ETIMEDOUT', `no answer within ${OPEN_MS / 1000} s`)))
    request.once('error', reject)
    request.once('connect', (answer, socket, head) => {
      const { statusCode = 0 } = answer
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy()
        return reject(failure(`HTTP ${statusCode}`, `it answered ${statusCode}`))
      }
      if (head.length > 0) socket.unshift(head)
      socket.setTimeout(0).setNoDelay(true).setKeepAlive(true, 60_000)
      resolve(socket)
    })
    request.end()
  })
}

const failure = (code: string, fact: string): Error => Object.assign(new Error(`the proxy: ${fact}`), { code })
