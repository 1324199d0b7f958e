import { lowerId } from '@botwright/protocol/facts'
import type { Config } from '../../author/config/config.ts'
import { cronOccurrences, type Occurrences } from '../tasks/occurrences.ts'
import { timezoneOf } from '../../author/time/timezone.ts'

type Hours = Pick<NonNullable<Config['quietHours']>, 'from' | 'until' | 'timezone'>
interface Times {
  begins: Occurrences
  ends: Occurrences
}

/** The quiet hours of each server. */
export class QuietTimes {
  readonly #usual: Times | undefined
  readonly #servers: ReadonlyMap<string, Times | undefined>

  /** Throws `ERR_CONFIG` if a variable is not a time zone. */
  constructor({ quietHours = {}, env }: Pick<Config, 'quietHours' | 'env'>) {
    const { servers = {}, ...usual } = quietHours
    const timesOf = ({
      from = usual.from,
      until = usual.until,
      timezone = usual.timezone ?? 'UTC',
    }: Hours): Times | undefined => {
      if (from === undefined || until === undefined) return undefined
      const zone = timezoneOf(timezone, env, 'bot.config.ts: quietHours')
      const daily = (time: string) => cronOccurrences(`${time.slice(3)} ${time.slice(0, 2)} * * *`, zone)
      return { begins: daily(from), ends: daily(until) }
    }
    this.#usual = timesOf(usual)
    const own = Object.entries(servers).map(([id, hours]) => [lowerId(id), hours ? timesOf(hours) : undefined] as const)
    this.#servers = new Map(own)
  }

  /** When the quiet hours of a server end. Undefined if it has none at this time. */
  endMs(server_id: string, nowMs: number): number | undefined {
    const id = lowerId(server_id)
    return endOf(this.#servers.has(id) ? this.#servers.get(id) : this.#usual, nowMs)
  }

  /** Whether any server has quiet hours at this time. */
  isQuiet(nowMs: number): boolean {
    return [this.#usual, ...this.#servers.values()].some((times) => endOf(times, nowMs) !== undefined)
  }
}

/** They have begun if they end before they begin again. */
function endOf(times: Times | undefined, nowMs: number): number | undefined {
  const endMs = times?.ends.next(nowMs)
  return endMs !== undefined && endMs < times!.begins.next(nowMs)! ? endMs : undefined
}
