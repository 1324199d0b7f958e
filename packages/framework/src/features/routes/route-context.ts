import { HandlerContext } from '../../bot/context/handler-context.ts'
import { runKey } from '../../bot/context/bot-context.ts'
import type { BotServices } from '../../bot/services.ts'
import type { PlainWork } from './plain-request.ts'
import type * as author from './route.ts'

/** The context of a route. */
export class RouteContext<B = unknown, P = Readonly<Record<string, string>>>
  extends HandlerContext
  implements author.RouteContext<B, P>
{
  readonly kind = 'route'
  readonly body: B
  readonly redelivered: boolean
  readonly #work: PlainWork

  constructor(services: BotServices, work: PlainWork, facts: { file: string; body: B; redelivered: boolean }) {
    super(services, facts.file)
    this.#work = work
    this.body = facts.body
    this.redelivered = facts.redelivered
  }

  get method(): string {
    return this.#work.request.method
  }
  get path(): string {
    return this.#work.request.path
  }
  get params(): P {
    return this.#work.request.params as P
  }
  get query(): URLSearchParams {
    return new URLSearchParams(this.#work.request.query)
  }
  get headers(): Headers {
    return new Headers(this.#work.request.headers)
  }
  get receivedAt(): Date {
    return new Date(this.#work.receivedMs)
  }
  protected override get [runKey](): string {
    return this.#work.key
  }
}
