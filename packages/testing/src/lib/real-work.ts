import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import type { Worker } from 'node:worker_threads'

/** These exist for as long as a connection or a thread is kept, also if it does nothing. */
const kept = /^(Immediate|MessagePort|Pipe|Signal|TCP|TTY|Worker)/

/** The active resources of this process, by their kind. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo())
    if (!kept.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/**
 * Whether this process works on something that ends in real time, whatever the clock shows: a file, a timer of Node, a child process, a thread that has not
 * posted its first message, or a request to another server than the chat service. It does not see queries on a connection that was open before, or jobs of a
 * thread that runs already.
 */
export class RealWork implements Disposable {
  #idle = resources()
  /** Requests and threads. */
  readonly #begun = new Set<unknown>()
  readonly #subscriptions: [name: string, listener: (message: unknown) => void][]

  /** `serviceUrl`: the address of the chat service. `threadEnds`: called when a thread ends, which then no longer answers. */
  constructor(serviceUrl: string, threadEnds: () => void) {
    const { port } = new URL(serviceUrl)
    const begins = (request: unknown, url: string | undefined) => {
      if (url === undefined || URL.parse(url)?.port !== port) this.#begun.add(request)
    }
    const ends = (message: unknown) => void this.#begun.delete((message as { request: unknown }).request)
    this.#subscriptions = [
      [
        'undici:request:create',
        (message) => {
          const { request } = message as { request: { origin?: string | URL } }
          begins(request, request.origin?.toString())
        },
      ],
      ['undici:request:trailers', ends],
      ['undici:request:error', ends],
      [
        'http.client.request.start',
        (message) => {
          const { request } = message as { request: ClientRequest }
          begins(request, `http://${String(request.getHeader('host'))}`)
          request.once('close', () => this.#begun.delete(request))
        },
      ],
      [
        'worker_threads',
        (message) => {
          const { worker } = message as { worker: Worker }
          this.#begun.add(worker)
          for (const event of ['message', 'exit']) worker.once(event, () => this.#begun.delete(worker))
          worker.once('exit', threadEnds)
        },
      ],
    ]
    for (const [name, listener] of this.#subscriptions) subscribe(name, listener)
  }

  /** Called when the bot is idle. */
  idle(): void {
    this.#idle = resources()
    this.#begun.clear()
  }

  get active(): boolean {
    if (this.#begun.size > 0) return true
    for (const [kind, count] of resources()) if (count > (this.#idle.get(kind) ?? 0)) return true
    return false
  }

  [Symbol.dispose](): void {
    for (const [name, listener] of this.#subscriptions) unsubscribe(name, listener)
  }
}
