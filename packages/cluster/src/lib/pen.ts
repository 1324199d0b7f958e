import type { Redis } from 'ioredis'
import { type RedisLink, startOf } from './connect.ts'

const ANSWER_MS = 4000

/**
 * The connection by which a leader writes. It knows to which start of Redis it leads: one that was started since may have lost its
 * last second, and whoever led before must look again at what is kept. Nothing is sent twice, and nothing waits for a connection.
 */
export class Pen {
  readonly redis: Redis
  #life = 0
  #known: { life: number; server: string } | undefined

  constructor(link: RedisLink) {
    this.redis = link.another('leads', {
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: ANSWER_MS,
    })
    this.redis.on('close', () => this.#life++)
  }

  /** Changes with each connection: what was watched on the one before is not watched any more. */
  get life(): number {
    return this.#life
  }

  /** Begins a new connection: what a client takes for known on the old one may not be. */
  renew(): void {
    this.redis.disconnect(true)
  }

  /** Resolves when the first connection is there. */
  async ready(): Promise<void> {
    if (this.redis.status !== 'ready') await new Promise<void>((resolve) => void this.redis.once('ready', resolve))
  }

  /** Which start of Redis this is; empty where it is not told. Asked once for each connection. */
  async server(): Promise<string> {
    if (this.#known?.life === this.#life) return this.#known.server
    const life = this.#life
    const server = await startOf(this.redis)
    if (life !== this.#life) throw new Error('the connection ended')
    this.#known = { life, server }
    return server
  }
}
