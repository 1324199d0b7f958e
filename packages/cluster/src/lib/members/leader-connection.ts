import type { Redis } from 'ioredis'
import { type RedisLink, startOf } from '../redis/connect.ts'

const ANSWER_MS = 4000

/**
 * The connection on which a leader writes. It knows which server process it is connected to: one that was started since may have lost the
 * last second, so the leader must read the position of the feed again. No command is sent twice, and none waits for a connection.
 */
export class LeaderConnection {
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

  /** Resolves when the first connection is there. */
  async ready(): Promise<void> {
    if (this.redis.status !== 'ready') await new Promise<void>((resolve) => void this.redis.once('ready', resolve))
  }

  /** Whether a command that is sent now reaches this server process. */
  isAt(server: string): boolean {
    return this.#known?.life === this.#life && this.#known.server === server
  }

  /** Identifies the server process; empty if Redis does not report it. Asked once for each connection. */
  async server(): Promise<string> {
    if (this.#known?.life === this.#life) return this.#known.server
    const life = this.#life
    const server = await startOf(this.redis)
    if (life !== this.#life) throw new Error('the connection ended')
    this.#known = { life, server }
    return server
  }
}
