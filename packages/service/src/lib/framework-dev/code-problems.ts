import { BoundedMap } from '@botwright/protocol/facts'
import type { BotProblems } from '../people-api/resources.ts'

const BOTS = 16

/** The problems of the newest code of bots under development, until it loads or the service ends. */
export class CodeProblems {
  readonly #bots = new BoundedMap<string, BotProblems>(BOTS)

  keep(given: BotProblems): void {
    if (given.problems.length > 0) this.#bots.set(given.bot_id, given)
    else this.#bots.delete(given.bot_id)
  }

  get(botId: string): BotProblems | undefined {
    return this.#bots.get(botId)
  }

  clear(): void {
    this.#bots.clear()
  }
}
