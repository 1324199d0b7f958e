import fc from 'fast-check'
import {
  boolean,
  button,
  channel,
  date,
  duration,
  integer,
  list,
  number,
  oneOf,
  text,
  user,
  uuid,
} from '../../index.ts'
import type { Param, ParamsShape } from '../params/packing.ts'
import { buttonProblem, clickReader } from '../../bot/buttons/read-click.ts'
import { place } from '../definition.ts'

/** A button with its place, as the loader returns it. */
export function placed<B extends object>(name: string, definition: B): B {
  return Object.assign(definition, { [place]: { name, file: `buttons/${name}.ts` } })
}

interface Kind {
  param: Param<unknown>
  value: fc.Arbitrary<unknown>
}

const whole = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }
const of = (param: Param<unknown>, value: fc.Arbitrary<unknown>): Kind => ({ param, value })

const bounded = fc
  .tuple(fc.maxSafeInteger(), fc.nat(5000))
  .map(([from, width]) => ({ min: Math.min(from, Number.MAX_SAFE_INTEGER - width), width }))
  .map(({ min, width }) => of(integer({ min, max: min + width }), fc.integer({ min, max: min + width })))

const words = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 80 })
  .map((all) => of(oneOf(...(all as [string])), fc.constantFrom(...all)))

const texts = fc.nat(12).map((max) =>
  of(
    text({ max }),
    fc.array(fc.string({ unit: 'grapheme', minLength: 0, maxLength: 1 }), { maxLength: max }).map((parts) => {
      const characters = Array.from(parts.join('')).slice(0, max)
      return characters.join('')
    }),
  ),
)

const simple: fc.Arbitrary<Kind> = fc.oneof(
  fc.constantFrom(uuid(), user(), channel()).map((param) => of(param, fc.uuid())),
  fc.constant(of(boolean(), fc.boolean())),
  fc.constant(of(integer(), fc.integer(whole))),
  fc.constant(of(number(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
  fc.constant(of(date(), fc.date({ noInvalidDate: true }))),
  fc.constant(of(duration(), fc.maxSafeNat())),
  fc.constant(of(duration({ min: '1m', max: '2d' }), fc.integer({ min: 60_000, max: 172_800_000 }))),
  bounded,
  words,
  texts,
)

const kinds: fc.Arbitrary<Kind> = fc.oneof(
  { weight: 6, arbitrary: simple },
  {
    weight: 1,
    arbitrary: simple.map(({ param, value }) =>
      of(
        (param as ReturnType<typeof text>).optional?.() ?? param,
        'optional' in param ? fc.option(value, { nil: undefined }) : value,
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(simple, fc.nat(3))
      .map(([{ param, value }, max]) =>
        of(list(param as ReturnType<typeof text>, { min: 0, max }), fc.array(value, { maxLength: max })),
      ),
  },
)

/** A button with generated params, and one of its ids with generated values. */
export const madeButtons = fc
  .dictionary(fc.constantFrom('a', 'b2', 'choice', 'poll_id', 'constructor', 'toString'), kinds, {
    maxKeys: 4,
    noNullPrototype: true,
  })
  .chain((made) => {
    const names = Object.keys(made)
    const shape = Object.fromEntries(names.map((name) => [name, made[name]!.param])) as ParamsShape
    return fc.record({
      shape: fc.constant(shape),
      values: fc
        .tuple(...names.map((name) => made[name]!.value))
        .map((values) => Object.fromEntries(names.map((name, i) => [name, values[i]]))),
    })
  })
  // A button whose ids could be too long is rejected at build time.
  .filter(({ shape }) => buttonProblem('vote', { params: shape }) === undefined)

/** The values that a click on a button with these params carries, and the length of its id. */
export function roundTrip(shape: ParamsShape, values: Record<string, unknown>): { id: string; carried: unknown } {
  const definition = placed('vote', button({ params: shape, run: () => undefined }))
  const { custom_id: id = '' } = definition.button(values, { label: 'x' })
  return { id, carried: clickReader(definition)(id) }
}

const somePoll = '0194f3a0-1234-7abc-8def-0123456789ab'
const someButton = placed(
  'vote',
  button({
    params: {
      poll: uuid(),
      n: integer({ min: 1, max: 9 }),
      note: text({ max: 9 }),
      more: list(boolean(), { min: 0, max: 9 }),
    },
    run: () => undefined,
  })
    .formerly({ n: number(), when: date() }, () => undefined)
    .formerly({}, () => undefined),
)
const someVersion = /^vote\.(....)\./.exec(
  someButton.button({ poll: somePoll, n: 1, note: '', more: [] }, { label: 'x' }).custom_id ?? '',
)![1]!

const damaged = fc
  .record({
    n: fc.integer({ min: 1, max: 9 }),
    note: fc.string({ maxLength: 9 }),
    more: fc.array(fc.boolean(), { maxLength: 9 }),
  })
  .chain((values) => {
    const { custom_id: id = '' } = someButton.button({ poll: somePoll, ...values }, { label: 'x' })
    return fc
      .tuple(fc.nat(id.length), fc.nat(3), fc.string({ maxLength: 3 }))
      .map(([at, cut, put]) => id.slice(0, at) + put + id.slice(at + cut))
  })

/** Foreign ids: any text, texts with our prefix, and our ids with a few characters changed. */
export const garbage = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc
    .tuple(
      fc.constantFrom('vote', 'vote.', 'vote:', `vote.${someVersion}.`, `vote.${someVersion}.~`),
      fc.base64String({ maxLength: 90 }),
    )
    .map((parts) => parts.join('')),
  damaged,
)

/** Reads a foreign id: params within their bounds, or nothing. */
export const readGarbage = clickReader(someButton)
