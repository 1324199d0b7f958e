import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boolean, button, embed, integer, list, number, oneOf, row, text, uuid } from '../index.ts'
import { garbage, madeButtons, placed, readGarbage, roundTrip } from './buttons/button-ids.test.fixture.ts'
import { packNumber } from './params/packing.ts'
import { buttonProblem, clickReader } from '../bot/buttons/read-click.ts'

const id = '0194f3a0-1234-7abc-8def-0123456789ab'
const run = () => undefined

// The long form: COUNT=100000 node packages/workspace/soak/buttons.mjs
test('a click carries the params of its button in at most 100 characters', () => {
  fc.assert(
    fc.property(madeButtons, ({ shape, values }) => {
      const { id: made, carried } = roundTrip(shape, values)
      expect(carried).toEqual(values)
      expect(Array.from(made).length).toBeLessThanOrEqual(100)
    }),
    { numRuns: 2000 },
  )
})

test('a foreign custom_id is outdated, or carries values that its kinds allow', () => {
  fc.assert(
    fc.property(garbage, (made) => {
      const carried = readGarbage(made) as { n: number; note: string } | undefined
      if (carried === undefined) return
      expect(carried.n).toBeGreaterThanOrEqual(1)
      expect(carried.n).toBeLessThanOrEqual(9)
      expect(Array.from(carried.note).length).toBeLessThanOrEqual(9)
    }),
    { numRuns: 2000 },
  )
})

test('an optional param and one with a default may be omitted', () => {
  const page = placed(
    'page',
    button({ params: { n: integer({ min: 1, max: 99 }).default(1), filter: text({ max: 5 }).optional() }, run }),
  )
  const read = clickReader(page)
  const carriedBy = (made: { custom_id?: string | undefined }) => read(made.custom_id ?? '')
  expect(carriedBy(page.button({}, { label: 'x' }))).toEqual({ n: 1, filter: undefined })
  expect(carriedBy(page.button({ n: 7, filter: 'a' }, { label: 'x' }))).toEqual({ n: 7, filter: 'a' })
})

test('reads a click on a button of an older version as it was made, then migrates it', async () => {
  const first = placed('vote', button({ params: { yes: boolean() }, run }))
  const second = placed('vote', button({ params: { poll: uuid(), yes: boolean() }, run }))
  const now = placed(
    'vote',
    button({ params: { poll: uuid(), choice: oneOf('yes', 'no', 'maybe') }, run })
      .formerly({ poll: uuid(), yes: boolean() }, ({ poll, yes }) => ({ poll, choice: yes ? 'yes' : 'no' }))
      // A poll without an id cannot be found.
      .formerly({ yes: boolean() }, () => undefined)
      .formerly({}, async () => ({ poll: id, choice: 'maybe' })),
  )
  const read = clickReader(now)
  expect(read(second.button({ poll: id, yes: true }, { label: 'x' }).custom_id!)).toEqual({ poll: id, choice: 'yes' })
  expect(read(first.button({ yes: true }, { label: 'x' }).custom_id!)).toBeUndefined()
  await expect(read('vote')).resolves.toEqual({ poll: id, choice: 'maybe' })
  expect(read('vote:now')).toBeUndefined()
})

test.each([
  [{ params: { note: text() } }, 'the parameter "note" needs a maximum length, as in text({ max: 20 })'],
  [{ params: { all: list(number()) } }, 'the parameter "all" needs a maximum length'],
  [
    { params: { poll: uuid(), note: text({ max: 80 }) } },
    'its custom_id can have 114 characters; the limit is 100 (interface §2): poll 22, note 82; shorten them',
  ],
  [{ params: { '1': uuid() } }, 'the parameter "1" must be a word that begins with a letter'],
  [
    button({ params: { poll: uuid() }, run }).formerly({ poll: uuid() }, run),
    'formerly (1): has the same params as params; remove one',
  ],
  [
    button({ params: {}, run }).formerly({ a: uuid() }, undefined as never),
    'formerly (1): needs a function that turns',
  ],
])('rejects an invalid button at build time: %#', (definition, problem) => {
  expect(buttonProblem('vote', definition)).toContain(problem)
})

test.each([
  [() => row(), 'row: has no button; remove the row'],
  [() => row(...Array.from({ length: 6 }, () => button.link({ label: 'x', url: 'https://x.test' }))), 'has 6 buttons'],
  [() => button.link({ label: 'x', url: String('http://x.test') }), 'url has the scheme http:; a link button opens'],
  [() => button.link({ label: 'x', url: String('x.test/page') }), 'button.link: url is not an absolute URL'],
  [() => button.link({ label: '', url: 'https://x.test' }), 'button.link: label is empty'],
  [() => button.link({ emoji: ':smile:', url: 'https://x.test' }), 'emoji must be one Unicode emoji'],
  [
    () => plain.button({ label: 'x'.repeat(81) }),
    'buttons/stop.ts: .button(): label has 81 characters; the limit is 80',
  ],
  [() => plain.button({} as never), 'buttons/stop.ts: .button(): a button needs a label or an emoji'],
  [() => row(plain.button({ label: 'a' }), plain.button({ label: 'b' })), 'two buttons have the custom_id "stop"'],
  [
    () =>
      embed({
        title: 'x'.repeat(300),
        description: 'x'.repeat(4096),
        fields: [{ name: 'n', value: 'x'.repeat(1800) }],
      }),
    'embed: has 6153 characters; the limit for all embeds of a message is 6000 (interface §8); shorten description, which has 4096',
  ],
])('rejects a message part that the service would reject, where it is made: %#', (make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_REQUEST', message: expect.stringContaining(message) as string }),
  )
})

const plain = placed('stop', button({ run }))

test('returns valid parts unchanged', () => {
  expect(
    row(plain.button({ label: '👍'.repeat(80) }), button.link({ emoji: '👍', url: 'https://x.test/a?b' })),
  ).toEqual({
    type: 'row',
    components: [
      { type: 'button', style: 'secondary', custom_id: 'stop', label: '👍'.repeat(80) },
      { type: 'button', style: 'link', emoji: '👍', url: 'https://x.test/a?b' },
    ],
  })
  // The service truncates these (§2), so they are not rejected.
  const cut = { title: 'x'.repeat(5000), description: 'x'.repeat(5000) }
  expect(embed(cut)).toBe(cut)
})

test.each([
  [{ color: '#ff' }, 'color must be "#rrggbb" or an integer from 0 to 16777215'],
  [{ color: 0x1000000 }, 'color must be "#rrggbb"'],
  [{ timestamp: 'noon' }, 'timestamp must be an ISO 8601 time'],
  [{ url: 'example.com' }, 'url must be an http or https link'],
  [{ image: { url: 'cat.png' } }, 'image.url must be an http or https link'],
  [{ footer: { text: 'x', icon_url: '' } }, 'footer.icon_url must be'],
] as const)('rejects embed(%j) where it is written', (card, fact) => {
  expect(() => embed(card)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_REQUEST' }))
  expect(() => embed(card)).toThrow(`embed: ${fact}`)
})

test('an invalid param is reported with the file and the param', () => {
  const one = placed('v', button({ params: { n: integer({ min: 0, max: 9 }), note: text({ max: 3 }) }, run }))
  const making = (n: number, note: string) => () => one.button({ n, note }, { label: 'x' })
  expect(making(10, '')).toThrow(
    expect.objectContaining({
      code: 'ERR_CUSTOM_ID',
      message: 'buttons/v.ts: the parameter n must be a whole number from 0 to 9',
    }),
  )
  const wide = placed('w', button({ params: { n: integer({ min: 2 }), x: number() }, run }))
  expect(() => wide.button({ n: 1, x: 1 }, { label: 'x' })).toThrow(
    'the parameter n must be a whole number of at least 2',
  )
  expect(() => wide.button({ n: 2, x: NaN }, { label: 'x' })).toThrow(/the parameter x must be a number$/)
  // JavaScript does not check for missing params.
  expect(() => placed('p', button({ params: {}, run })).button({ label: 'x' }, undefined as never)).toThrow(
    "buttons/p.ts: .button() needs a label or emoji after the params: { label: 'Yes' }",
  )
  expect(making(1, '😀😀😀😀')).toThrow('the parameter note must be 0 to 3 characters')
  expect(making(1, '😀'.slice(0, 1))).toThrow('the parameter note ends in the middle of a character')
})

test('a custom_id that is truncated, too long or of another version is outdated', () => {
  const shape = { c: oneOf('a', 'b') }
  const made = roundTrip(shape, { c: 'a' }).id
  const read = (params: object, custom_id: string) =>
    clickReader(button({ params: params as typeof shape, run }))(custom_id)
  expect(read(shape, made)).toEqual({ c: 'a' })
  expect(read({ c: oneOf('b', 'a') }, made)).toBeUndefined()
  expect(read(shape, made.slice(0, -1))).toBeUndefined()
  expect(read(shape, `${made}A`)).toBeUndefined()
})

test('a custom_id with more or fewer items than its list may have is outdated', () => {
  const shape = { all: list(boolean(), { min: 2, max: 4 }) }
  const { id: made } = roundTrip(shape, { all: [true, true, true] })
  // The count and each item have one digit.
  const [before, item] = [made.slice(0, -4), made.slice(-1)]
  const read = clickReader(button({ params: shape, run }))
  const withItems = (count: number) => read(before + packNumber(count, 1) + item.repeat(count))
  expect(withItems(3)).toEqual({ all: [true, true, true] })
  expect([1, 2, 4, 5].map(withItems)).toEqual([
    undefined,
    { all: [true, true] },
    { all: [true, true, true, true] },
    undefined,
  ])
})

test.each([undefined, null, {}, { packing: {} }])('a parameter that no kind has created (%j) is named', (param) => {
  expect(buttonProblem('vote', { params: { poll: param } as never })).toMatch(
    /the parameter "poll" must be created with uuid\(\)/,
  )
})
