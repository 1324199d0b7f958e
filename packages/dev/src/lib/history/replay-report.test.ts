import { answerWords, type RecordedEvent } from '@botwright/framework/replay'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { EventLines } from '@botwright/framework/start'
import { ReplayReport } from './replay-report.ts'

const event: RecordedEvent = {
  seq: 1,
  baseUrl: '',
  botId: '',
  username: 'helper',
  id: 1,
  type: 'message',
  created_at: '',
  data: { author: 'ann', channel_name: 'general', command: 'ping' },
  atMs: Date.now(),
  file: 'commands/ping.ts',
  result: 'ok',
  calls: [{ name: 'messages.create', input: { content: 'pong '.repeat(30), reply_to: 'm' }, ms: 1 }],
}

function shown(columns: number): string[] {
  const lines: string[] = []
  const report = new ReplayReport(
    { colors: pc.createColors(false), print: (line) => void lines.push(line) },
    { columns, dry: true },
  )
  report.event({ event, result: 'ok', file: 'commands/ping.ts', calls: [] }, 'different')
  return lines
}

test.each([60, 80, 100, 160])('no line is wider than a terminal of %i columns', (columns) => {
  for (const line of shown(columns)) expect(line.length).toBeLessThanOrEqual(columns)
})

function compared(before: object, after: object): string[] {
  const lines: string[] = []
  const report = new ReplayReport(
    { colors: pc.createColors(false), print: (line) => void lines.push(line) },
    { columns: 160, dry: true },
  )
  const call = (input: object) => ({ name: 'messages.create', input: { ...input, reply_to: 'm' }, ms: 1 })
  const recorded = { ...event, calls: [call(before)] }
  report.event({ event: recorded, result: 'ok', file: 'commands/ping.ts', calls: [call(after)] }, 'different')
  return lines
}

test('answers that look alike show where they differ', () => {
  const embeds = (url: string) => ({ embeds: [{ title: 'Books', url }] })
  expect(compared(embeds('https://a.example'), embeds('https://b.example')).at(-1)).toMatch(
    /^ +embeds\.0\.url: "https:\/\/a\.example" +│ embeds\.0\.url: "https:\/\/b\.example"$/,
  )
})

test('embeds are compared with their descriptions and fields', () => {
  const embeds = (description: string, value: string) => ({
    embeds: [{ title: 'Books', description, fields: [{ name: 'Price', value }] }],
  })
  expect(compared(embeds('Emma', '3'), embeds('Persuasion', '4')).at(-1)).toMatch(
    /^ +reply embed “Books” “Emma” “Price: 3” +│ reply embed “Books” “Persuasion” “Price: 4”$/,
  )
})

test('a difference at the end of a long text is in sight', () => {
  const long = 'the same words '.repeat(30)
  const lines = compared({ content: `${long}tea` }, { content: `${long}coffee` }).join('\n')
  expect(lines).toMatch(/content: ….*tea" /s)
  expect(lines).toMatch(/coffee"/)
})

test('a click on a choice() belongs to the handler that waited for it', () => {
  const lines = new EventLines(pc.createColors(false), 160)
  const { file: _file, ...bare } = event
  const click = (custom_id: string): string =>
    lines.line({ ...bare, type: 'interaction', result: 'none', calls: [], data: { username: 'bob', custom_id } })
  expect(click('?yes')).toContain('a waiting handler')
  expect(click('vote')).toContain('no file')
})

test('a narrow terminal shows the recorded answer above the new one', () => {
  const lines = shown(60)
  expect(lines[1]).toMatch(/^ {2}- reply “pong/)
  expect(lines.at(-1)).toBe('  + nothing')
})

test.each([
  [{ name: 'messages.create', input: { content: 'a\nb\u001b[31m' } }, String.raw`send “a b\u001b[31m”`],
  [{ name: 'interactions.callback', input: { type: 'ack' } }, 'ack'],
  [
    {
      name: 'interactions.callback',
      input: {
        type: 'update',
        embeds: [{ title: 'T' }],
        components: [{ type: 'row', components: [{ label: 'Yes' }, { emoji: '👍' }] }],
      },
    },
    'update embed “T” [Yes] [👍]',
  ],
  [{ name: 'reactions.add', input: { emoji: '👍' } }, 'react 👍'],
  [
    { name: 'moderation.ban', input: { server_id: 's', user_id: 'u', reason: 'spam' } },
    'moderation.ban {"reason":"spam"}',
  ],
  [{ name: 'messages.create', input: undefined, code: 'ERR_REFUSED', error: 'no' }, 'send failed: ERR_REFUSED no'],
])('%j is described in words', (call, words) => {
  expect(answerWords({ ms: 1, ...call })).toBe(words)
})
