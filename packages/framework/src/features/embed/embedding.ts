import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, systemClock } from '@botwright/clock'
import { answerFetch, BodyAlreadyRead, createEventReceiver, type HttpAnswer, type HttpRequest } from '@botwright/events'
import type { Config } from '../../author/config/config.ts'
import type { Definition } from '../../author/files/entries.ts'
import type { Log } from '../../author/ports.ts'
import type { RunningBot, StartBotOptions } from '../../runtime/ports/running-bot.ts'
import { respond } from '../routes/http-server.ts'
import { refused, unavailable } from '../routes/plain-request.ts'
import { RouteTable } from '../routes/route-table.ts'
import type { BotServer } from './embed-options.ts'

/** How long a sender may take for a body. The server of the program may wait longer. */
const BODY_MS = 10_000

/** A bot that has started. */
export type StartedBot = Pick<RunningBot, 'me' | 'call' | 'ready' | 'stats' | 'ended'>

/** A bot inside of another program. It opens no ports, handles no signals and never exits the process. */
export interface EmbeddedBot extends AsyncDisposable {
  /**
   * Connects the bot, and registers its commands. The promise of a bot that has started already is the same. Rejects with the errors of
   * `framework start`, such as `ERR_CONFIG`, `ERR_UNAUTHORIZED` and `ERR_ALREADY_RUNNING`. A bot that has stopped can start again; one that
   * is stopping stops first.
   */
  start(): Promise<StartedBot>
  /** Starts no new work; running handlers have `graceMs` (default: `limits.graceSeconds`) to finish. Ends a start, which then rejects. */
  stop(options?: { graceMs?: number }): Promise<void>
  /** For servers such as Hono and Next. Paths that the bot does not have get 404, and its own get 503 while it does not run. */
  readonly fetch: (request: Request) => Promise<Response>
  /** For Express, Fastify and `node:http`. Calls `next`, if it is given, for paths that the bot does not have. */
  readonly node: (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void
}

/** The parts of a bot that is embedded. */
export interface EmbeddingHost {
  config: Config
  definitions: readonly Definition[]
  log: Log
  /** Without a slash at its end. */
  basePath: string
  /** Has a control room. */
  isControlled: boolean
  ports: readonly BotServer[]
  clock?: Clock
  start: (options: Pick<StartBotOptions, 'signal' | 'mountHealth' | 'openReceiver'>) => Promise<RunningBot>
}

/** Passes the requests of any server to the parts of a bot. */
export class Embedding implements EmbeddedBot {
  readonly #host: EmbeddingHost
  readonly #routes: RouteTable
  /** The parts that answer now. */
  readonly #parts: Partial<Record<BotServer, HttpAnswer>> = {}
  #starting: Promise<RunningBot> | undefined
  #stopping: Promise<void> | undefined
  #cancel = new AbortController()
  #state = 'has not started'

  constructor(host: EmbeddingHost) {
    this.#host = host
    this.#routes = new RouteTable(host.definitions)
  }

  start(): Promise<StartedBot> {
    // A later stop ends this start, even if it still waits for the end of an earlier one.
    if (this.#cancel.signal.aborted) this.#cancel = new AbortController()
    const { signal } = this.#cancel
    const begin = () =>
      signal.aborted ? Promise.reject(signal.reason as Error) : (this.#starting ??= this.#begin(signal))
    return this.#stopping ? this.#stopping.then(begin, begin) : begin()
  }

  async #begin(signal: AbortSignal): Promise<RunningBot> {
    const { log, ports, start } = this.#host
    this.#state = 'is starting'
    try {
      const bot = await start({
        signal,
        ...(!ports.includes('health') && { mountHealth: (answer) => void (this.#parts.health = answer) }),
        ...(!ports.includes('webhook') && { openReceiver: (options) => this.#receiver(options) }),
      })
      this.#parts.http = bot.answer
      void bot.ended.then(({ reason }) => {
        this.#end('has stopped')
        if (reason === 'stopped') return log.info({}, 'stopped')
        log.error(
          {},
          'stopped: the token is no longer valid. Set BOT_TOKEN to the new one, and start the program again',
        )
      })
      return bot
    } catch (error) {
      this.#end('has not started')
      throw error
    }
  }

  #end(state: string): void {
    this.#state = state
    this.#starting = undefined
    for (const part of ['health', 'http', 'webhook'] as const) delete this.#parts[part]
  }

  /** A receiver whose requests come from the server of the program. */
  #receiver(
    options: Parameters<typeof createEventReceiver>[0],
  ): ReturnType<NonNullable<StartBotOptions['openReceiver']>> {
    const receiver = createEventReceiver(options)
    const close = async () => void delete this.#parts.webhook
    return {
      listen: async () => {
        this.#parts.webhook = receiver.answer
        return undefined
      },
      stats: () => receiver.stats(),
      close,
      [Symbol.asyncDispose]: close,
    }
  }

  stop(options?: { graceMs?: number }): Promise<void> {
    const starting = this.#starting
    this.#cancel.abort(new Error('the bot was stopped while it started'))
    const stopping = (async () => {
      const bot = await starting?.catch(() => undefined)
      await bot?.stop(options)
    })().finally(() => {
      if (this.#stopping === stopping) this.#stopping = undefined
    })
    this.#stopping = stopping
    return stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  readonly fetch = (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    return answerFetch(request, this.#find(request.method, pathname) ?? unknownPath)
  }

  readonly node = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void): void => {
    const [path = ''] = (req.url ?? '').split('?', 1)
    const answer = this.#find(req.method ?? '', path)
    if (!answer && next) return next()
    respond(req, res, { answer: answer ?? unknownPath, log: this.#host.log, isOpen: () => true })
  }

  /** The part that has a path. */
  #find(method: string, whole: string): HttpAnswer | undefined {
    const { basePath } = this.#host
    if (whole !== basePath && !whole.startsWith(`${basePath}/`)) return undefined
    const path = whole.slice(basePath.length) || '/'
    const part = this.#partOf(method, path)
    return part && ((request) => this.#answer(part, { ...request, path }))
  }

  #partOf(method: string, path: string): BotServer | undefined {
    const { config, isControlled, ports } = this.#host
    const isOwn = (part: BotServer) => !ports.includes(part)
    // The path is `/` by default: a page of the program may have it, too.
    const isWebhook = method === 'POST' && path === config.webhook.path
    if (config.delivery !== 'poll' && isOwn('webhook') && isWebhook) return 'webhook'
    if (this.#routes.find(method, path)) return 'http'
    const isHealth = /^\/(?:livez|readyz|metrics)$/.test(path) || (isControlled && /^\/control(?:\/|$)/.test(path))
    return config.health && isOwn('health') && isHealth ? 'health' : undefined
  }

  async #answer(part: BotServer, request: HttpRequest): ReturnType<HttpAnswer> {
    const { clock = systemClock, log } = this.#host
    const answer = this.#parts[part]
    if (!answer) return unavailable(`the bot ${this.#state}`)
    let isLate = false
    const read = async (most: number) => {
      let end!: (error: Error) => void
      const late = new Promise<never>((_resolve, reject) => (end = reject))
      const timer = clock.after(BODY_MS, () => {
        isLate = true
        end(new Error('the body is late'))
      })
      return Promise.race([request.read(most), late]).finally(() => timer.cancel())
    }
    try {
      return await answer({ ...request, read })
    } catch (error) {
      if (isLate) return refused(408, `the body did not arrive within ${BODY_MS / 1000} s`)
      if (!(error instanceof BodyAlreadyRead)) throw error
      log.error({}, `${request.method} ${request.path}: ${error.message}`)
      return refused(500, error.message)
    }
  }
}

const unknownPath: HttpAnswer = async () => refused(404, 'the bot has no such path')
