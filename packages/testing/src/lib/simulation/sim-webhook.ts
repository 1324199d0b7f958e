import type { SeededRandom } from '@botwright/clock/simulated'
import { type EventReceiver, type EventReceiverOptions, SignedEvents, type SignedRequest } from '@botwright/events'
import { eventWebhookHeaders } from '@botwright/protocol'
import type { openService } from '@botwright/service'
import type { SimHost, SimProcess } from './sim-host.ts'

/** The fate of one event webhook. `twice`: a proxy repeats it. `forged`: a stranger sends a changed copy as well. */
export type PostFate = 'ok' | 'lost' | 'twice' | 'late' | 'forged'

type PostEvent = NonNullable<Parameters<typeof openService>[0]['postEvent']>

const LATE_MS = 10_000
const AGAIN_MS = 3000
/** More events than a run has. */
export const FORGED_FROM = 1_000_000
function forged(body: string): string {
  const event = JSON.parse(body) as { id: number }
  return JSON.stringify({ ...event, id: event.id + FORGED_FROM })
}

/** The way of event webhooks to the present process of the bot. */
export class SimWebhook {
  /** Draws the fate of a request. */
  fateOf: () => PostFate = () => 'ok'
  /** Called for each event webhook that the service sends, also if it is lost. */
  onPost: ((body: string) => void) | undefined
  readonly #host: SimHost
  readonly #random: SeededRandom
  #accept: ((request: SignedRequest) => Promise<number>) | undefined

  constructor(host: SimHost, random: SeededRandom) {
    this.#host = host
    this.#random = random
  }

  /** Passes what arrives to a receiver without a process. */
  receive(accept: (request: SignedRequest) => Promise<number>): void {
    this.#accept = accept
  }

  /** Opens the receiver of a process. */
  readonly opener =
    (process: SimProcess) =>
    (options: EventReceiverOptions): EventReceiver => {
      const events = new SignedEvents({ ...options, clock: options.clock ?? process })
      const accept = (request: SignedRequest) => events.accept(request)
      const end = () => {
        if (this.#accept === accept) this.#accept = undefined
      }
      const close = async () => end()
      return {
        listen: async () => {
          this.#accept = accept
          process.onKill.add(end)
          return { port: 0 }
        },
        close,
        stats: () => events.stats,
        [Symbol.asyncDispose]: close,
      }
    }

  readonly post: PostEvent = ({ headers, body }, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('the receiver does not respond')), { once: true })
      const fate = this.fateOf()
      const request = {
        body: Buffer.from(body),
        signature: headers[eventWebhookHeaders.signature]!,
        bot: headers[eventWebhookHeaders.bot],
      }
      this.#host.world.note(`webhook ${body} ${fate}`)
      this.onPost?.(body)
      if (fate === 'lost') return
      void this.#arrive(request, fate === 'late' ? this.#random.int(LATE_MS) : 0).then(resolve, reject)
      if (fate === 'twice') void this.#arrive(request, this.#random.int(AGAIN_MS)).catch(() => {})
      if (fate === 'forged') void this.#arrive({ ...request, body: Buffer.from(forged(body)) }, 0).catch(() => {})
    })

  async #arrive(request: SignedRequest, ms: number): Promise<void> {
    const { world, awakeAtMs } = this.#host
    const atMs = Math.max(world.nowMs + 1 + this.#random.int(15) + ms, awakeAtMs)
    await new Promise<void>((resolve) => world.timeline.at(atMs, resolve))
    if (!this.#accept) throw new Error('no process listens')
    world.note(`webhook: ${await this.#accept(request)}`)
  }
}
