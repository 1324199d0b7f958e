import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpAnswer, type HttpRequest, type HttpResponse, requestOf, sendResponse } from '@botwright/events'
import { namesThisMachine } from '@botwright/protocol/facts'
import { portRefused } from '../../runtime/port-refused.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { Log } from '../../author/ports.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import type { HealthFacts } from '../problems/health-facts.ts'
import { BotMetrics, type MetricTable } from './metrics.ts'
import type { TaskView } from '../problems/tasks.ts'
import type { Problem } from '../problems/problems.ts'
import type { BotProblems } from '../problems/bot-problems.ts'
import { readinessOf } from './readiness.ts'

/** Answers `/livez`, `/readyz` and `/metrics` of a bot. */
export interface Health extends Required<Pick<Observer, 'received' | 'outcome'>> {
  expect: (definitions: readonly Definition[]) => void
  close(): Promise<void>
}

/** Opens the health endpoint of a bot. Rejects with `ERR_CONFIG` if its port cannot be opened. */
export async function openHealth(options: {
  port: number
  host: string
  facts: () => HealthFacts
  problems: Pick<BotProblems, 'list' | 'lookUp'>
  /** Awaited before each response. */
  refresh?: () => Promise<void> | undefined
  extraMetrics?: MetricTable
  tasks?: () => Promise<readonly TaskView[]>
  /** Answers `/control` and the paths below it. */
  control?: HttpAnswer | undefined
  /** Takes the endpoint, which then has no port. */
  mount?: ((answer: HttpAnswer) => void) | undefined
  log: Log
}): Promise<Health> {
  const { facts, problems, log, refresh, extraMetrics, control, mount } = options
  const metrics = new BotMetrics(facts, extraMetrics, { tasks: options.tasks, problems: () => problems.list() })
  const answer: HttpAnswer = async (request) => {
    const { path } = request
    try {
      if (control && /^\/control(?:\/|$)/.test(path)) return await control(request)
      return await answerTo(request, { metrics, facts, problems, refresh })
    } catch (error) {
      log.error({ error }, `health: ${path} could not be answered: ${(error as Error).message}`)
      return send(500, '{"error":"the bot could not answer this request"}')
    }
  }
  const close = mount ? void mount(answer) : await listen(answer, options)
  return {
    expect: (definitions) => metrics.expect(definitions),
    received: ({ event }) => metrics.received(event.type),
    outcome: (outcome) => metrics.observe(outcome),
    async close() {
      metrics[Symbol.dispose]()
      await close?.()
    },
  }
}

/** Opens the port. Resolves with the function that closes it. */
async function listen(
  answer: HttpAnswer,
  options: { port: number; host: string; log: Log; control?: HttpAnswer | undefined },
): Promise<() => Promise<void>> {
  const { host, log } = options
  let onLoopback = false
  const server = createServer((req, res) => {
    const named = req.headers.host
    // A browser always sends Host; an HTTP/1.0 probe may not.
    if (onLoopback && named !== undefined && !namesThisMachine(named, host))
      return sendResponse(
        req,
        res,
        send(403, '{"error":"the Host header names another host; use localhost or an IP address"}'),
      )
    void answer(requestOf(req)).then((response) => sendResponse(req, res, response))
  })
  // A probe that sends nothing must not keep the process alive.
  server.requestTimeout = server.headersTimeout = 5000
  await new Promise<void>((resolve, reject) => {
    const fix = 'choose another in bot.config.ts (health) or BOT_HEALTH_PORT'
    const refuse = (error: Error) => reject(portRefused('health', options, error, fix))
    server.once('error', refuse)
    server.listen(options.port, host, () => {
      server.off('error', refuse)
      // Such as too many open files.
      server.on('error', (error) => log.error({ error }, `health: ${error.message}`))
      resolve()
    })
  })
  server.unref()
  const { port, address } = server.address() as AddressInfo
  // Other hosts may use any name for this one, such as that of a container, so Host is checked on loopback only.
  onLoopback = /^(?:127\.|::1$|::ffff:127\.)/.test(address)
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  log.info({ port }, `health endpoint listening on ${url}`)
  if (options.control) log.info({ port }, `control room: ${url}/control`)
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
}

/** The response needs no token, and an error may quote what a person wrote. */
const withoutErrors = ({ code, text, fix }: Problem) => ({ code, text, fix })

const send = (status: number, body: string, type = 'application/json'): HttpResponse => ({
  status,
  headers: { 'content-type': type, 'cache-control': 'no-store' },
  body,
})

async function answerTo(
  { method, path }: HttpRequest,
  {
    metrics,
    facts,
    problems,
    refresh,
  }: {
    metrics: BotMetrics
    facts: () => HealthFacts
    problems: Pick<BotProblems, 'list' | 'lookUp'>
    refresh: (() => Promise<void> | undefined) | undefined
  },
): Promise<HttpResponse> {
  if (method !== 'GET' && method !== 'HEAD') return send(405, '{"error":"use GET or HEAD"}')
  // Any response proves that the process is alive: code that blocks does so in a worker, which is replaced.
  if (path === '/livez') return send(200, '{"alive":true}')
  if (path === '/readyz') {
    await refresh?.()
    await problems.lookUp()
    const readiness = readinessOf(facts())
    return send(
      readiness.ready ? 200 : 503,
      JSON.stringify({ ...readiness, problems: problems.list().map(withoutErrors) }),
    )
  }
  if (path === '/metrics') {
    await refresh?.()
    return send(200, await metrics.text(), metrics.contentType)
  }
  return send(404, '{"error":"use /livez, /readyz or /metrics"}')
}
