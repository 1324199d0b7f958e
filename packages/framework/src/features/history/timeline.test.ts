import { readFileSync } from 'node:fs'
import { stepFields, type StepKind, type TimelineValue } from '@botwright/protocol/timeline'
import { expect, test } from 'vitest'
import type { RecordedEvent } from './recorded-event.ts'
import { timelineOf } from './timeline.ts'

const event: RecordedEvent = {
  seq: 7,
  baseUrl: 'http://127.0.0.1:7400/v1',
  botId: 'b',
  username: 'helper',
  id: 12,
  type: 'message',
  created_at: '2026-01-01T00:00:00.000Z',
  data: { command: 'ping', author: 'ann', channel_name: 'general' },
  atMs: Date.UTC(2026, 0, 1) + 40,
  result: 'ok',
  file: 'commands/ping.ts',
  ms: 3,
  calls: [{ name: 'messages.create', input: { content: 'pong', reply_to: 'm' }, ms: 2, created: 'm2' }],
}
const texts = (one: RecordedEvent) => timelineOf(one).steps.map(({ text }) => text)

test('an event of an older release has a brief timeline', () => {
  const timeline = timelineOf(event)
  expect(timeline).toMatchObject({ version: 1, brief: true, result: 'ok', file: 'commands/ping.ts' })
  expect(timeline.event).toMatchObject({ seq: 7, id: 12, title: '/ping', who: 'ann → #general' })
  expect(texts(event)).toEqual(['received', 'handler commands/ping.ts', 'reply “pong”', 'finished'])
})

test('names how long after its creation the event was received', () => {
  expect(texts({ ...event, atMs: event.atMs + 95_000 })[0]).toBe('received 1 min 36 s after its creation')
})

test('a call with very many texts is cut, because the service shows no timeline with a longer step', () => {
  const field = { name: 'x'.repeat(50), value: 'y'.repeat(140) }
  const embeds = Array.from({ length: 10 }, () => ({
    title: 'Report',
    fields: Array.from({ length: 25 }, () => field),
  }))
  const refused = { code: 'ERR_INVALID_REQUEST', error: 'messages.create: embeds: too many characters' }
  const [, , text] = texts({ ...event, calls: [{ name: 'messages.create', input: { embeds }, ms: 2, ...refused }] })
  expect(text).toMatch(
    /^send embed “Report” “x{50}: y{140}”.*… failed: ERR_INVALID_REQUEST embeds: too many characters$/,
  )
  expect(text!.length).toBeLessThan(8000)
})

test('an unfinished event has no end', () => {
  expect(texts({ ...event, result: 'unfinished' })).not.toContain('finished')
})

test('orders steps and calls by their time, relative to when the event was received', () => {
  const t = event.atMs + 0.25
  const timeline = timelineOf({
    ...event,
    calls: [{ ...event.calls[0]!, atMs: t + 4 }],
    steps: [
      { kind: 'handler', file: 'commands/ping.ts', t: t + 1, ms: 3 },
      { kind: 'received', t },
      { kind: 'state', action: 'set', key: 'points', before: { value: 1 }, after: { value: 2 }, t: t + 2, ms: 1 },
    ],
  })
  expect(timeline.brief).toBeUndefined()
  expect(timeline.steps.map(({ atMs, text }) => [atMs, text])).toEqual([
    [0, 'received'],
    [1, 'handler commands/ping.ts'],
    [2, 'state points: 1 → 2'],
    [4, 'reply “pong”'],
    [6, 'finished'],
  ])
})

test('names another channel, and the names in a list that was read', () => {
  const data = { ...event.data, channel_id: 'general' }
  const list = { name: 'channels.listOfServer', input: { type: 'text' }, ms: 1 }
  const send = (channel_id: string) => ({ name: 'messages.create', input: { content: 'x', channel_id }, ms: 1 })
  const names = Array.from({ length: 12 }, (_, i) => ({ name: `c${i}` }))
  const calls = [
    { ...list, answer: { channels: [{ name: 'general' }, { name: 'random' }] } },
    { ...list, answer: { channels: names } },
    { ...list, answer: { channels: [] } },
    { ...list, answer: 'cut' },
    send('random'),
    send('general'),
  ]
  expect(texts({ ...event, data, calls }).slice(2, -1)).toEqual([
    'channels.listOfServer {"type":"text"} → general, random',
    'channels.listOfServer {"type":"text"} → c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more',
    'channels.listOfServer {"type":"text"} → none',
    'channels.listOfServer {"type":"text"}',
    'send “x” in another channel',
    'send “x”',
  ])
})

const sent = (facts: object) =>
  texts({ ...event, calls: [{ name: 'messages.create', ms: 1, input: {}, ...facts }] }).at(-2)

test('an embed is shown with its description, its fields and its footer', () => {
  const embeds = [
    {
      ...{ author: { name: 'shop' }, title: 'Tea?', description: 'until noon' },
      ...{
        fields: [
          { name: 'Yes', value: '3' },
          { name: 'No', value: 2 },
        ],
        footer: { text: 'poll 7' },
      },
    },
  ]
  expect(sent({ input: { embeds } })).toBe('send embed “shop” “Tea?” “until noon” “Yes: 3” “No: 2” “poll 7”')
})

test('the time until which a message is held has its zone', () => {
  const zone = process.env['TZ']
  try {
    for (const [name, text] of [
      ['UTC', '2026-03-03 06:00:00 UTC'],
      ['Europe/Berlin', '2026-03-03 07:00:00 UTC+1'],
      ['Asia/Kolkata', '2026-03-03 11:30:00 UTC+5:30'],
      ['America/St_Johns', '2026-03-03 02:30:00 UTC-3:30'],
    ] as const) {
      process.env['TZ'] = name
      const held = sent({ input: { content: 'tea' }, held_until: '2026-03-03T06:00:00.000Z' })
      expect(held).toBe(`send “tea” (held until ${text}: quiet hours)`)
    }
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})

test('long values of a state are cut around the place where they differ', () => {
  const names = Array.from({ length: 60 }, (_, i) => `name ${i}`)
  const changed = (before: TimelineValue, after: TimelineValue) => {
    const steps = [{ kind: 'state', action: 'set', key: 'list', before, after, t: event.atMs }] as const
    return texts({ ...event, calls: [], steps }).find((text) => text.startsWith('state'))
  }
  expect(changed({ value: names }, { value: names.with(40, 'another name') })).toMatch(
    /^state list: ….{0,30}"name 40".*… → ….{0,30}"another name".*…$/,
  )
  const cut = { cut: true, json: JSON.stringify(names), length: 9000 } as const
  expect(changed(cut, cut)).toMatch(/^state list: \["name 0".*… changed after its first 591 of 9000 characters$/)
})

test('texts of users cannot break a line or control a terminal', () => {
  const evil = { ...event, result: 'error' as const, error: 'a\nb\u001b[2J' }
  expect(texts(evil).at(-1)).toBe('failed: a\\nb\\u001b[2J')
  expect(timelineOf(evil).failure).toMatchObject({ message: 'a\nb\u001b[2J', causes: [] })
})

test('the documentation names every kind of step with its fields', () => {
  const page = readFileSync(new URL('../../../../dev/docs/timeline.md', import.meta.url), 'utf8')
  const rows = page.slice(page.indexOf('| `received`')).matchAll(/^\| `(\w+)`\s*\|[^|]*\|([^|]*)\|$/gm)
  const documented = Object.fromEntries(
    [...rows].map(([, kind, fields]) => [kind, [...fields!.matchAll(/`(\w+)`/g)].map(([, field]) => field)]),
  ) as Record<StepKind, string[]>
  expect(documented).toEqual(stepFields)
})
