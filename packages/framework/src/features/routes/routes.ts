import { randomUUID } from 'node:crypto'
import { elapsedOf, within } from '@botwright/clock'
import type { HttpAnswer } from '@botwright/events'
import type { Delivery } from '@botwright/events/event'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Config } from '../../author/config/config.ts'
import type { Definition } from '../../author/files/entries.ts'
import { hideFromNow } from '../../link/redaction.ts'
import type { RunEnd } from '../../link/ports.ts'
import { ownDelivery } from '../../link/task-event.ts'
import type { Work, WorkHost } from '../../runtime/ports/work.ts'
import {
  type Accepted,
  json,
  type JsonRequest,
  type PlainRequest,
  type PlainResponse,
  refused,
  type RouteWork,
  toJson,
  unavailable,
} from './plain-request.ts'
import { recordable } from './recordable.ts'
import { RequestRunner } from './request-runner.ts'
import { type KnownRoute, RouteTable } from './route-table.ts'
import { isSecret, withoutCredentials } from './verify-request.ts'

const nothing = new Uint8Array()

interface Issue {
  path?: readonly PropertyKey[]
  message: string
}

/** How long a request waits for the bot's thread to check it. */
const CHECK_MS = 10_000
/** How many refused requests the observers see in this time: anyone can send them. */
const MOST_REFUSED = 20
const REFUSED_MS = 600_000

/** Accepts requests, stores them, and lets them run in the bot's thread. Throws `ERR_CONFIG` if a secret cannot be used. */
export class Routes implements Work {
  readonly #host: WorkHost
  readonly #runner: RequestRunner
  #table: RouteTable
  #accepts = false
  /** Requests that the bot's thread has. */
  #asking = 0
  #refused = { sinceMs: -Infinity, count: 0 }

  constructor(host: WorkHost, definitions: readonly Definition[]) {
    this.#host = host
    this.#table = new RouteTable(definitions)
    const problem = hideSecrets(this.#table, host.config)
    if (problem !== undefined) throw new BotwrightError('ERR_CONFIG', problem)
    this.#runner = new RequestRunner({ ...host, route: (name) => this.#table.byName(name) })
  }

  async update(definitions: readonly Definition[]): Promise<void> {
    this.#table = new RouteTable(definitions)
    const problem = hideSecrets(this.#table, this.#host.config)
    // Its requests are answered with 500.
    if (problem !== undefined) this.#host.log.error({}, problem)
    this.#accepts = true
    this.#runner.update()
  }

  readonly answer: HttpAnswer = async ({ read, address: _, ...head }) => {
    const found = this.#table.find(head.method, head.path)
    if (!found || 'methods' in found) return withoutRoute(found)
    if (!this.#accepts) return unavailable('the bot is starting or stopping')
    const { params, route } = found
    if (await this.#host.switches.isOff(route.name)) return unavailable('this route is switched off for now')
    const body = await read(route.limit)
    const request = { ...head, params, body: body ?? nothing }
    if (!body)
      return this.#refuse(route, request, refused(413, `the body must not be longer than ${route.limit} bytes`))
    return this.#accept(route, request)
  }

  get running(): number {
    return this.#runner.rows.working
  }

  /** Resolves once no stored request is due, and none runs. */
  idle(): Promise<void> {
    return this.#runner.rows.idle()
  }

  async stop(graceMs: number): Promise<void> {
    this.#accepts = false
    const ended = this.#runner.rows.stop()
    await within(elapsedOf(this.#host.clock), graceMs, () => ended).catch(() => {})
  }

  async #accept(route: KnownRoute, request: PlainRequest): Promise<PlainResponse> {
    const { clock, config } = this.#host
    const atMs = clock.now()
    const waiting = this.#asking + (route.respond ? 0 : this.#runner.requests.open)
    if (waiting >= config.limits.waiting) return unavailable('too many requests are waiting')
    const checked = await this.#ask('check', route, request, atMs)
    if ('status' in checked) return this.#refuse(route, request, checked)
    const { id, key, headers } = checked
    if (route.respond)
      return (await this.#ask('respond', route, toJson({ ...request, headers }), atMs)) as PlainResponse
    const queue = `${route.name} ${key ?? ''}`
    await this.#runner.requests.add({ route: route.name, queue, atMs }, { ...request, headers }, id)
    this.#runner.rows.look()
    return json(202, { accepted: true })
  }

  /** Shows the observers a request that is not accepted, without its body. */
  #refuse(route: KnownRoute, request: PlainRequest, response: PlainResponse): PlainResponse {
    const { clock, observer } = this.#host
    // The log has failed checks.
    if (!observer?.unrun || response.status >= 500) return response
    if (clock.monotonic() - this.#refused.sinceMs >= REFUSED_MS)
      this.#refused = { sinceMs: clock.monotonic(), count: 0 }
    if (++this.#refused.count > MOST_REFUSED) return response
    const headers = withoutCredentials(request.headers, route.verify ?? false)
    const shown = toJson({ ...request, headers, body: nothing })
    const delivery = recordable(this.#deliveryOf('check', route, shown, clock.now()))
    const over = observer.workBegan?.(delivery)
    observer.unrun(delivery, { result: 'refused', message: reasonOf(response), file: async () => route.file })
    over?.()
    return response
  }

  #deliveryOf(
    step: 'check' | 'respond',
    { name, retry }: KnownRoute,
    request: PlainRequest | JsonRequest,
    receivedMs: number,
  ): Delivery {
    // Two requests may come in the same millisecond.
    const key = randomUUID()
    const work: RouteWork = { step, route: name, request, receivedMs, key, retry, channel_id: `route:${name} ` }
    return ownDelivery('route', work, this.#host.clock.now(), false)
  }

  /** Sends a request to the bot's thread. */
  async #ask(
    step: 'check' | 'respond',
    route: KnownRoute,
    request: PlainRequest | JsonRequest,
    receivedMs: number,
  ): Promise<PlainResponse | Accepted> {
    const { clock, config, dispatch, observer } = this.#host
    const delivery = this.#deliveryOf(step, route, request, receivedMs)
    const mostMs = step === 'check' ? CHECK_MS : config.limits.handlerSeconds * 1000 + CHECK_MS
    const over = step === 'respond' ? observer?.workBegan?.(recordable(delivery)) : undefined
    this.#asking++
    const ended = await within(elapsedOf(clock), mostMs, async () => {
      let end: RunEnd | undefined
      await dispatch(delivery, (is) => (end = is)).finally(() => {
        this.#asking--
        over?.()
      })
      return end
    }).catch(() => undefined)
    if (!ended) return unavailable('the bot did not answer in time')
    return 'result' in ended ? (ended.result as PlainResponse | Accepted) : refused(500, 'the route failed')
  }
}

/** `422: the body is not valid: release.name: expected a string`. */
function reasonOf({ status, body }: PlainResponse): string {
  const { error, issues: [issue] = [] } = JSON.parse(String(body)) as { error: string; issues?: readonly Issue[] }
  return [`${status}: ${error}`, issue?.path?.join('.'), issue?.message].filter(Boolean).join(': ')
}

/** The response to a request that has no route: its path is unknown, or has other methods. */
export function withoutRoute(found: { methods: readonly string[] } | undefined): PlainResponse {
  if (!found) return refused(404, 'there is no such route')
  const allow = found.methods.join(', ')
  return refused(405, `the method must be ${allow}`, { headers: { allow } })
}

/** The problem with a secret of the routes that cannot be used. The others are hidden in the log from now on. */
export const secretProblem = (definitions: readonly Definition[], config: Config): string | undefined =>
  hideSecrets(new RouteTable(definitions), config)

/** Hides the secrets of routes in the log from now on. Returns the problem with one that cannot be used. */
function hideSecrets({ routes }: RouteTable, { env = {} }: Config): string | undefined {
  let problem: string | undefined
  for (const { file, verify } of routes) {
    if (!verify) continue
    const value = env[verify.secret]
    if (!isSecret(value))
      problem ??= `${file}: ${verify.secret} is not set: declare it in env of bot.config.ts, and set the variable`
    else if (verify.by === 'bearer' && /\s/.test(value))
      problem ??= `${file}: ${verify.secret} contains a space, so that no request passes bearer: set it to a token without spaces`
    else hideFromNow(value)
  }
  return problem
}
