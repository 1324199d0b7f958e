import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { namesThisMachine } from '@botwright/protocol/facts'
import type { BotEvent } from '@botwright/events/event'
import { portRefused } from '../port-refused.ts'
import type { Log } from '../../author/ports.ts'
import type { Outcome } from '../../link/ports.ts'
import type { HealthFacts } from './health-facts.ts'
import { BotMetrics, type Figures } from './metrics.ts'
import { readinessOf } from './readiness.ts'

/** `/livez`, `/readyz` and `/metrics` of a bot, on a port of their own. */
export interface Health {
  port: number
  heard(event: BotEvent): void
  observe(outcome: Outcome): void
  close(): Promise<void>
}

/** Serves the health of a bot. Throws `ERR_CONFIG` when the port is taken. */
export async function openHealth(options: {
  port: number
  host: string
  facts: () => HealthFacts
  /** Awaited before the figures are told. */
  refresh?: () => Promise<void> | undefined
  /** Further figures. */
  figures?: Figures
  log: Log
}): Promise<Health> {
  const { host, facts, log, refresh, figures } = options
  const metrics = new BotMetrics(facts, figures)
  let onLoopback = false
  const server = createServer((request, response) => {
    const named = request.headers.host
    // A browser always sends Host; an HTTP/1.0 probe may not.
    if (onLoopback && named !== undefined && !namesThisMachine(named, host)) {
      response.writeHead(403, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end('{"error":"the Host header names another host; use localhost or an IP address"}')
      return
    }
    answer(request, response, { metrics, facts, refresh }).catch((error: unknown) => {
      log.error({ error }, `health: ${request.url} could not be answered: ${(error as Error).message}`)
      response.destroy()
    })
  })
  // A probe that says nothing must not hold the process.
  server.requestTimeout = server.headersTimeout = 5000
  await new Promise<void>((resolve, reject) => {
    const fix = 'choose another in bot.config.ts (health) or BOT_HEALTH_PORT'
    server.once('error', (error) => reject(portRefused('health', options, error, fix)))
    server.listen(options.port, host, resolve)
  })
  server.unref()
  const { port, address } = server.address() as AddressInfo
  // Other machines reach it by names that only they know, such as the name of a container.
  onLoopback = /^(?:127\.|::1$|::ffff:127\.)/.test(address)
  log.info({ port }, `health endpoint listening on http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return {
    port,
    heard: ({ type }) => metrics.heard(type),
    observe: (outcome) => metrics.observe(outcome),
    close: () =>
      new Promise((resolve) => {
        metrics[Symbol.dispose]()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  {
    metrics,
    facts,
    refresh,
  }: { metrics: BotMetrics; facts: () => HealthFacts; refresh: (() => Promise<void> | undefined) | undefined },
): Promise<void> {
  const [path] = (request.url ?? '').split('?')
  const send = (status: number, body: string, type = 'application/json') => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, '{"error":"use GET or HEAD"}')
  // Whoever can answer is alive: code of the bot that blocks does so in a worker, which is replaced.
  if (path === '/livez') return send(200, '{"alive":true}')
  if (path === '/readyz') {
    await refresh?.()
    const readiness = readinessOf(facts())
    return send(readiness.ready ? 200 : 503, JSON.stringify(readiness))
  }
  if (path === '/metrics') {
    await refresh?.()
    return send(200, await metrics.text(), metrics.contentType)
  }
  return send(404, '{"error":"use /livez, /readyz or /metrics"}')
}
