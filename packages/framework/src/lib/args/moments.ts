import { BotwrightError } from '@botwright/protocol/facts'
import { type Duration, durationExamples, durationMs, durationText, durationWord, parseDuration } from '../duration.ts'
import { type Arg, type ArgPlace, makeArg, misfit } from './arg.ts'
import { parseDate } from './date-text.ts'
import { wallTime } from './zone.ts'

/** A length of time as an argument; its default is written like any duration: `'10m'`. */
export interface DurationArg extends Arg<number> {
  default(value: Duration): Arg<number>
  describe(about: string): DurationArg
  flag(): DurationArg
}

/** A length of time: `10m`, `1h 30m`, `2 days`; gives milliseconds. `min` and `max` are durations too. */
export function duration(bounds: { min?: Duration; max?: Duration } = {}): DurationArg {
  const min = bounds.min === undefined ? 0 : durationMs(bounds.min, 'the min of a duration()')
  const max = bounds.max === undefined ? Infinity : durationMs(bounds.max, 'the max of a duration()')
  const made = makeArg<number>({
    takes: 'word',
    // As in "1 h 30 min".
    mostWords: 6,
    expects: `a duration${spanText(min, max)}`,
    example: durationWord(Math.max(min, Math.min(max, 10 * 60_000))),
    read: ([typed = '']) => {
      const ms = parseDuration(typed)
      if (ms === undefined) throw misfit(`must be a duration${spanText(min, max)}, such as ${durationExamples}`)
      if (ms < min || ms > max) throw misfit()
      return ms
    },
    write: (ms) => [durationWord(ms)],
  })
  return {
    ...made,
    default(value) {
      return { ...this, absent: { value: durationMs(value, 'the default of a duration()') } }
    },
  }
}

function spanText(min: number, max: number): string {
  if (max !== Infinity)
    return min > 0 ? ` from ${durationText(min)} to ${durationText(max)}` : ` of at most ${durationText(max)}`
  return min > 0 ? ` of at least ${durationText(min)}` : ''
}

export interface DateOptions {
  /** Whose clocks are meant where no offset is typed: `'Europe/Berlin'`, or what tells it for a person or server. Default: UTC. */
  zone?: string | ((place: ArgPlace) => string)
  /** Only what is still to come, or is over. */
  when?: 'future' | 'past'
}

/** A point in time as an argument; its default may be what a person could type: `'in 2h'`. */
export interface DateArg extends Arg<Date> {
  default(value: Date | string): Arg<Date>
  describe(about: string): DateArg
  flag(): DateArg
}

/** A point in time: `2026-03-01 18:00`, `tomorrow 18:00`, `friday`, `6 pm`, `in 2h`. */
export function date({ zone = 'UTC', when }: DateOptions = {}): DateArg {
  // A zone that does not exist is told when the bot is loaded.
  if (typeof zone === 'string') wallTime(0, zone)
  const expects = `a date or time${when === undefined ? '' : ` in the ${when}`}`
  const made = makeArg<Date>({
    takes: 'word',
    // As in "2026-03-01 6:00 pm", "friday at 6 pm", "in 2 weeks 3 days".
    mostWords: 6,
    expects,
    example: when === 'past' ? 'yesterday 18:00' : 'tomorrow 18:00',
    read: ([typed = ''], place) => {
      const nowMs = place.clock.now()
      const ms = parseDate(typed, nowMs, typeof zone === 'string' ? zone : zone(place))
      if (ms === undefined) throw misfit(`must be ${expects}, such as 2026-03-01 18:00, tomorrow 18:00 or in 2h`)
      if ((when === 'future' && ms <= nowMs) || (when === 'past' && ms >= nowMs)) throw misfit()
      return new Date(ms)
    },
    write: (value) => [value.toISOString()],
  })
  return {
    ...made,
    default(value) {
      return { ...this, absent: typeof value === 'string' ? typedDefault(value) : { value } }
    },
  }
}

function typedDefault(typed: string): { typed: string } {
  if (parseDate(typed, 0, 'UTC') !== undefined) return { typed }
  throw new BotwrightError('ERR_DEFINITION', `the default of a date() is no date: "${typed}"`)
}
