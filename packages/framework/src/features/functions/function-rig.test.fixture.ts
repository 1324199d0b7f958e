import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import type { ConfigInput } from '../../author/config/config.ts'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { loadBot } from '../../bot/load/load-bot.ts'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import type { FunctionBot, FunctionContext } from './bundled-bot.ts'
import { createFunctionBot } from './create-function-bot.ts'
import { nodeHandler } from './node-handler.ts'

/** Nothing listens there. */
export const nowhere = 'http://127.0.0.1:9/'

/** A bot as functions, behind a server of Node, with the event webhook of a real service. */
export class FunctionRig implements AsyncDisposable {
  readonly rig: ChatRig
  readonly bot: FunctionBot
  readonly env: Record<string, string>
  readonly store: StateStore
  /** Of the store and of all instances. It follows the time of the host. */
  readonly clock: AdvanceableClock
  readonly secret: string
  readonly #server: Server
  readonly #handler: ReturnType<typeof nodeHandler>

  private constructor(
    rig: ChatRig,
    parts: Pick<FunctionRig, 'bot' | 'clock' | 'env' | 'secret' | 'store'>,
    served: { server: Server; handler: ReturnType<typeof nodeHandler> },
  ) {
    this.rig = rig
    this.bot = parts.bot
    this.clock = parts.clock
    this.env = parts.env
    this.store = parts.store
    this.secret = parts.secret
    this.#server = served.server
    this.#handler = served.handler
  }

  /** `hasWebhook: false`: the service sends no events. */
  static async start(
    files: Record<string, string>,
    {
      config = {},
      clock = new AdvanceableClock(systemClock),
      openStore = async () => new MemoryStore(clock),
      hasWebhook = true,
    }: {
      config?: ConfigInput
      clock?: AdvanceableClock
      openStore?: (clock: AdvanceableClock, rig: ChatRig) => Promise<StateStore>
      hasWebhook?: boolean
    } = {},
  ): Promise<FunctionRig> {
    const rig = await ChatRig.start()
    const store = await openStore(clock, rig)
    const bot = await functionsOf(rig, files, { config: { ...config, store: () => store }, clock })
    const { id } = (await rig.person('ann').bots.list()).bots[0]!
    const { secret } = await rig.person('ann').bots.setEventWebhook({ bot_id: id, url: nowhere })
    const env = { BOT_TOKEN: token, BOT_BASE_URL: rig.service.base_url, BOT_WEBHOOK_SECRET: secret! }
    const handler = nodeHandler(bot, env)
    const server = createServer(handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const it = new FunctionRig(rig, { bot, clock, env, store, secret: secret! }, { server, handler })
    if (hasWebhook) await it.sendTo(`${it.url}/`)
    return it
  }

  /** The service sends the events to this URL from now on. */
  async sendTo(url: string): Promise<void> {
    const { bots } = this.rig.person('ann')
    await bots.setEventWebhook({ bot_id: (await bots.list()).bots[0]!.id, url })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Another instance of the same function. */
  another(files: Record<string, string>, config: ConfigInput = {}): Promise<FunctionBot> {
    return functionsOf(this.rig, files, { config: { ...config, store: () => this.store }, clock: this.clock })
  }

  scheduled(): Promise<void> {
    return this.bot.scheduled({}, this.env)
  }

  fetch(request: Request, ctx?: FunctionContext): Promise<Response> {
    return this.bot.fetch(request, this.env, ctx)
  }

  /** The texts of the bot, once it has sent so many. */
  async texts(count: number): Promise<string[]> {
    const own = async () => {
      const { messages } = await this.rig.person('ann').messages.list({ channel_id: this.rig.channel('general') })
      return messages.filter(({ author }) => String(author) === 'helper').map(({ content }) => content)
    }
    await this.rig.until(async () => (await own()).length >= count)
    return own()
  }

  /** Sends an event as the service does. */
  async post(event: object, secret = this.secret): Promise<number> {
    const body = JSON.stringify(event)
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const [bot] = (await this.rig.person('ann').bots.list()).bots
    const headers = { 'x-service-signature': signature, 'x-service-bot': bot!.id }
    return (await fetch(this.url, { method: 'POST', body, headers })).status
  }

  /** The events of the bot that the service has kept. */
  async events(): Promise<{ id: number; type: string; data: Record<string, unknown>; created_at: string }[]> {
    const headers = { authorization: `Bot ${token}` }
    const response = await fetch(`${this.rig.service.base_url}/events?after=1`, { headers })
    return ((await response.json()) as { events: Awaited<ReturnType<FunctionRig['events']>> }).events
  }

  /** All work of requests has ended. */
  idle(): Promise<void> {
    return this.#handler.idle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await this.#handler.idle()
    await this.rig[Symbol.asyncDispose]()
  }
}

/** The functions of a bot with these files, as a build creates them. */
export async function functionsOf(
  rig: ChatRig,
  files: Record<string, string>,
  { config, clock }: { config: ConfigInput; clock: AdvanceableClock },
): Promise<FunctionBot> {
  const { manifest, modules, root } = rig.source(files)
  const notCalled = () => Promise.reject(new Error('a bot that is described makes no calls'))
  const { definitions } = await loadBot(
    { manifest, modules, root },
    {
      call: notCalled,
      clock,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      me: { id: '', username: '' } as never,
    },
  )
  return createFunctionBot(
    {
      manifest,
      definitions,
      codeId: Object.values(modules).join(),
      everyMs: 5 * 60_000,
      files: Object.fromEntries(
        Object.entries(modules).map(([file, path]) => [file, () => import(pathToFileURL(path).href)]),
      ),
      config: async () => ({ default: config }),
    },
    { clock },
  )
}
