import { BotwrightError } from '@botwright/protocol/facts'
import { plainTime, trimUnseen } from '@botwright/protocol/typed-text'
import {
  type Duration,
  durationExampleWords,
  durationMs,
  durationWord,
  durationWords,
  parseDuration,
} from '../../author/time/duration.ts'
import { type ArgParam, packable } from '../arguments/composed.ts'
import { packDate, packInteger } from '../arguments/param-kinds.ts'
import type { Packing } from '../../author/params/packing.ts'
import { isThenable } from '../../author/outgoing.ts'
import { ranged } from '../arguments/bounds.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { Words } from '../../author/texts/words.ts'
import { type Arg, type ArgPlace, makeArg, misfit } from '../../author/args/arg.ts'
import { parseDate } from './date-text.ts'
import { wallTime } from './zone.ts'

/** A length of time as an argument; its default is written like any duration: `'10m'`. */
export interface DurationArg extends Omit<ArgParam<number>, 'default' | 'describe' | 'flag'> {
  default(value: Duration): ArgParam<number, number | undefined>
  describe(about: string): DurationArg
  flag(): DurationArg
}

/** A length of time: `10m`, `1h 30m`, `2 days`; returns milliseconds. `min` and `max` are durations too; at most 9 characters in a `custom_id`. */
export function duration(bounds: { min?: Duration; max?: Duration } = {}): DurationArg {
  const min = bounds.min === undefined ? 0 : durationMs(bounds.min, 'the min of a duration()')
  const max = bounds.max === undefined ? Infinity : durationMs(bounds.max, 'the max of a duration()')
  const expects = spanOf(min, max)
  const made = makeArg<number>({
    takes: 'word',
    // As in "1 h 30 min".
    mostWords: 6,
    expects,
    example: durationWord(Math.max(min, Math.min(max, 10 * 60_000))),
    read: ([typed = '']) => {
      const ms = parseDuration(plainTime(trimUnseen(typed)))
      if (ms === undefined) throw misfit(suchAs(expects, durationExampleWords))
      if (ms < min || ms > max) throw misfit()
      return ms
    },
    write: (ms) => [durationWord(ms)],
  })
  const most = max === Infinity ? Number.MAX_SAFE_INTEGER : max
  return durationParam(made, packInteger({ min, max: most }, 'a number of milliseconds'))
}

function durationParam(arg: Arg<number>, packing: Packing<number>): DurationArg {
  const made = packable(arg, packing)
  return {
    ...made,
    default: (value) => made.default(durationMs(value, 'the default of a duration()')),
    describe: (about) => durationParam(arg.describe(about), packing),
    flag: () => durationParam(arg.flag(), packing),
  }
}

const spanOf = (min: number, max: number): Words =>
  ranged(phrase('kind.duration'), {
    ...(min > 0 && { min: durationWords(min) }),
    ...(max !== Infinity && { max: durationWords(max) }),
  })

const suchAs = (expected: Words, examples: Words): Words => phrase('args.must_be_such_as', { expected, examples })

/** The options of `date(…)`. */
export interface DateOptions {
  /** The zone of input without an offset: `'Europe/Berlin'`, or a function: `(ctx) => zones.of(ctx).get()`. Default: UTC. */
  zone?: string | ((place: ArgPlace) => string | PromiseLike<string>)
  /** Accepts only future or only past times. */
  when?: 'future' | 'past'
}

/** A point in time as an argument; its default may be a text that a user could type: `'in 2h'`, which buttons do not support. */
export interface DateArg extends Omit<ArgParam<Date>, 'default' | 'describe' | 'flag'> {
  default(value: Date): ArgParam<Date, Date | undefined>
  default(value: Date | string): Arg<Date>
  describe(about: string): DateArg
  flag(): DateArg
}

/** A point in time: `2026-03-01 18:00`, `tomorrow 18:00`, `friday`, `6 pm`, `in 2h`. 10 characters in a `custom_id`. */
export function date({ zone = 'UTC', when }: DateOptions = {}): DateArg {
  // An unknown zone is reported when the bot loads.
  if (typeof zone === 'string') wallTime(0, zone)
  const expects = phrase(when === undefined ? 'kind.date' : `kind.date_${when}`)
  const made = makeArg<Date>({
    takes: 'word',
    // As in "2026-03-01 6:00 pm", "friday at 6 pm", "um 18 Uhr 30 am 1. 3. 2026".
    mostWords: 8,
    expects,
    example: when === 'past' ? 'yesterday 18:00' : 'tomorrow 18:00',
    read: ([typed = ''], place) => {
      const nowMs = place.clock.now()
      const plain = plainTime(trimUnseen(typed))
      // Whether it is a date does not depend on the zone, which may take a lookup: the reader also tries words that are none.
      if (parseDate(plain, { nowMs, zone: 'UTC', when }) === undefined)
        throw misfit(suchAs(expects, phrase('kind.date_examples')))
      const dateIn = (name: string): Date => {
        const ms = parseDate(plain, { nowMs, zone: name, when })
        if (ms === undefined || (when === 'future' && ms <= nowMs) || (when === 'past' && ms >= nowMs)) throw misfit()
        return new Date(ms)
      }
      const chosen = typeof zone === 'string' ? zone : zone(place)
      return isThenable(chosen) ? chosen.then(dateIn) : dateIn(chosen)
    },
    write: (value) => [value.toISOString()],
  })
  return dateParam(made)
}

function dateParam(arg: Arg<Date>): DateArg {
  const made = packable(arg, packDate)
  function withDefault(value: Date): ArgParam<Date, Date | undefined>
  function withDefault(value: Date | string): Arg<Date>
  function withDefault(value: Date | string): Arg<Date> {
    return typeof value === 'string' ? { ...arg, absent: typedDefault(value) } : made.default(value)
  }
  return {
    ...made,
    default: withDefault,
    describe: (about) => dateParam(arg.describe(about)),
    flag: () => dateParam(arg.flag()),
  }
}

function typedDefault(typed: string): { typed: string } {
  if (parseDate(typed, { nowMs: 0, zone: 'UTC' }) !== undefined) return { typed }
  throw new BotwrightError('ERR_DEFINITION', `the default of a date() is not a date: "${typed}"`)
}
