import { VirtualClock } from '@botwright/clock'
import type { Button } from '@botwright/protocol/shapes'
import { expect, test } from 'vitest'
import { button, date, list, text, uuid } from '../../index.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryStore } from '../state/memory-store.ts'
import { placed } from './button-ids.test.fixture.ts'
import { buttonProblem, clickReader } from '../../bot/buttons/read-click.ts'
import { SpilledParams } from '../../bot/buttons/spilled-params.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const run = () => undefined
const face = { label: 'x' }
const long = 'a long note '.repeat(40)
const DAY_MS = 24 * 60 * 60 * 1000

/** A button whose params are too large for a custom_id, and the store of its bot. */
function rig(spill: true | '7d' = true) {
  const clock = new VirtualClock(0)
  const warnings: string[] = []
  const log = { debug: run, info: run, error: run, warn: (_: object, message: string) => void warnings.push(message) }
  const store = new MemoryStore(clock)
  const spilled = new SpilledParams({ store, clock, log })
  const note = placed('note', button({ spill, params: { about: text(), all: list(uuid()) }, run }))
  const read = clickReader(note)
  const click = (made: Button) => read(made.custom_id!, spilled)
  return { clock, warnings, store, spilled, note, click }
}

const id = '0194f3a0-1234-7abc-8def-0123456789ab'
const values = { about: long, all: Array.from({ length: 50 }, () => id) }

test('a click returns large params; the custom_id contains a short key, equal for equal params', async () => {
  const { spilled, store, note, click } = rig()
  const made = note.button(values, face)
  expect(made.custom_id).toMatch(/^note\.[\w-]{4}\.~[\w-]{22}$/)
  expect(note.button(values, face).custom_id).toBe(made.custom_id)
  expect(note.button({ ...values, about: 'other' }, face).custom_id).not.toBe(made.custom_id)
  await spilled.save([{ type: 'row', components: [made] }])
  await expect(click(made)).resolves.toEqual(values)
  // Only sent params are stored.
  expect(await store.list('')).toHaveLength(1)
})

test.each([
  [true, 30],
  ['7d', 7],
] as const)('spill: %j stores params for %d days after the last message with the button', async (spill, days) => {
  const { clock, spilled, note, click } = rig(spill)
  const made = note.button(values, face)
  const send = () => spilled.save([{ components: [made] }])
  await send()
  await clock.advance(DAY_MS)
  await send()
  await clock.advance(days * DAY_MS - 1)
  await expect(click(made)).resolves.toEqual(values)
  await clock.advance(1)
  await expect(click(made)).resolves.toBeUndefined()
})

test('a changed copy of a button keeps its params; a copy through JSON is logged, unless its params are stored already', async () => {
  const { spilled, note, click, warnings } = rig()
  const made = note.button(values, face)
  const fromJson = JSON.parse(JSON.stringify(made)) as Button
  await spilled.save([{ components: [fromJson] }])
  expect(warnings).toEqual([expect.stringContaining('a copy made with JSON has lost its params') as string])
  await spilled.save([{ components: [{ ...made, disabled: true }] }])
  await expect(click(made)).resolves.toEqual(values)
  await spilled.save([{ components: [fromJson] }])
  expect(warnings).toHaveLength(1)
})

test('buttons from before and after spill, and buttons with older params, keep working', async () => {
  const { spilled } = rig()
  const shape = { about: text({ max: 20 }) }
  const small = placed('note', button({ params: shape, run }))
  const large = placed('note', button({ params: shape, spill: true, run }))
  const now = placed(
    'note',
    button({ params: { about: text(), at: date() }, spill: true, run }).formerly(shape, ({ about }) => ({
      about: `${about}!`,
      at: new Date(0),
    })),
  )
  const [one, two] = [small.button({ about: 'a' }, face), large.button({ about: 'b' }, face)]
  await spilled.save([{ components: [one, two] }])
  const click = (made: Button, definition: typeof large | typeof now) =>
    Promise.resolve(clickReader(definition)(made.custom_id!, spilled))
  expect(await click(one, large)).toEqual({ about: 'a' })
  expect(await click(two, small)).toEqual({ about: 'b' })
  expect(await click(one, now)).toEqual({ about: 'a!', at: new Date(0) })
  expect(await click(two, now)).toEqual({ about: 'b!', at: new Date(0) })
})

test('messages without spilled buttons are sent without a wait', () => {
  const { spilled } = rig()
  const plain = placed('stop', button({ run }))
  const link = button.link({ label: 'x', url: 'https://x.test' })
  for (const components of [undefined, null, [], [{}], 'x', [{ components: [plain.button(face), link, null] }]])
    expect(spilled.save(components)).toBeUndefined()
})

test('rejects an invalid spill at build time', () => {
  expect(() => button({ spill: 'long' as '1d', params: {}, run })).toThrow(
    "a button's spill must be a duration such as",
  )
  expect(buttonProblem('x', button({ spill: 0, params: {}, run }))).toContain('spill cannot be 0 ms')
  expect(buttonProblem('x', button({ spill: true, run }))).toContain('spill has no effect without params')
  expect(buttonProblem('x'.repeat(80), button({ spill: true, params: { a: text() }, run }))).toBe(
    "its custom_id can have 109 characters; the limit is 100 (interface §2); shorten the file's name",
  )
  expect(buttonProblem('note', button({ spill: true, params: { a: text() }, run }))).toBeUndefined()
})

const api = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)
const files = {
  'buttons/note.ts': `import { button, text } from ${api}
export default button({ spill: true, params: { about: text() }, run: (ctx) => ctx.params.about.length + ' characters' })`,
  'commands/note.ts': `import { row } from ${api}
import note from '../buttons/note.mjs'
const message = (how) => ({ content: how, components: [row(note.button({ about: how + 'x'.repeat(3000) }, { label: 'x' }))] })
export default async (ctx) => {
  const asked = await ctx.reply(message('reply'))
  await ctx.edit(asked, message('edit'))
  await ctx.send(ctx.channel_id, message('send'))
  await ctx.api.messages.create({ channel_id: ctx.channel_id, ...message('api') })
  await (await ctx.broadcast([ctx.channel_id], message('broadcast'))).done()
  await ctx.send(ctx.channel_id, { content: 'named', components: [row(ctx.button('note', { about: 'named' }, { label: 'x' }))] })
}`,
}

test('buttons work however their message is sent, also from a worker and after a restart', slow, async () => {
  await using chat = await ChatRig.start()
  const first = await chat.startBot(files)
  await chat.says('ann', '/note')
  await chat.until(async () => (await chat.texts()).includes('named'))
  const { messages } = await chat.person('ann').messages.list({ channel_id: chat.channel('general'), limit: 50 })
  await first.stop({ graceMs: 1000 })
  await chat.startBot(files)
  const asked = messages.filter(({ components }) => components?.length > 0)
  for (const { id, components } of asked)
    await chat.person('ann').clicks.create({
      channel_id: chat.channel('general'),
      message_id: id,
      custom_id: components[0]!.components[0]!.custom_id!,
    })
  await chat.until(async () => (await chat.texts()).filter((one) => one.endsWith(' characters')).length === 5)
  expect((await chat.texts()).filter((one) => one.endsWith(' characters')).sort()).toEqual([
    '3003 characters',
    '3004 characters',
    '3004 characters',
    '3009 characters',
    '5 characters',
  ])
})
