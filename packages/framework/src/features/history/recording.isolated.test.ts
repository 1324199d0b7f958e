import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { expect, test, onTestFinished, vi } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { HistoryRedactor } from '../../link/redaction.ts'
import { History } from './history.ts'
import { Recorder, type RecorderOptions } from './recorder.ts'

const file = (rig: ChatRig) => join(rig.root, '.botwright/history.db')
const read = (rig: ChatRig) => {
  using history = new History(file(rig))
  return history.events()
}

test.each(['inline', 'worker'] as const)('records each event with its file and its calls (%s)', async (dispatcher) => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(
    {
      'commands/ping.ts': "export default () => 'pong'",
      'commands/slow.ts': `export default async (ctx) => {
          await new Promise((resolve) => setTimeout(resolve, 30))
          await ctx.reply('late ' + ctx.event.args)
          await ctx.api.channels.get({ channel_id: ctx.channel_id })
        }`,
      'commands/bad.ts': `export default async (ctx) => { await ctx.api.channels.get({ channel_id: 'no id' }) }`,
    },
    { dispatcher, config: { record: true } },
  )
  await Promise.all(['/slow one', '/slow two', '/ping'].map((text, i) => rig.says('ann', text, `c${i}`)))
  await rig.says('ann', '/bad', 'c3')
  await rig.says('ann', 'hello', 'c4')
  await rig.until(() => bot.stats().finished === 5)
  await bot.stop()
  const events = read(rig)
  const of = (content: string) => events.find((event) => event.data?.['content'] === content)
  expect(of('/ping')).toMatchObject({
    type: 'message',
    username: 'helper',
    file: 'commands/ping.ts',
    result: 'ok',
    calls: [{ name: 'messages.create', input: { content: 'pong' }, created: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
  })
  for (const which of ['one', 'two'])
    expect(of(`/slow ${which}`)?.calls).toMatchObject([
      { name: 'messages.create', input: { content: `late ${which}` } },
      { name: 'channels.get', answer: { channel: { type: 'text' } } },
    ])
  expect(of('/bad')).toMatchObject({
    result: 'error',
    error: expect.stringContaining('channel_id'),
    calls: [
      { name: 'channels.get', code: 'ERR_INVALID_REQUEST' },
      { name: 'messages.create', input: { content: expect.stringMatching(/^Something went wrong/) } },
    ],
  })
  expect(of('hello')).toMatchObject({ result: 'none', calls: [] })
})

test.each(['inline', 'worker'] as const)(
  'a handler that streams a text is not recorded as an event without a file, even before its first call (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const source = '(async function* () { yield await new Promise(() => {}) })()'
    const bot = await rig.startBot(
      {
        'commands/answer.ts': `export default (ctx) => ctx.stream(${source})`,
        'commands/ping.ts': "export default () => 'pong'",
      },
      { dispatcher, config: { record: true } },
    )
    await rig.says('ann', '/answer', 'c1')
    await rig.says('ann', '/ping', 'c1')
    await rig.until(async () => (await rig.texts('c1')).includes('pong'))
    await bot.stop({ graceMs: 0 })
    expect(read(rig).map(({ result }) => result)).toEqual(['unfinished', 'ok'])
  },
)

test.each(['inline', 'worker'] as const)(
  'a handler that waits for an answer is recorded as unfinished, even after the bot stops (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(
      { 'commands/report.ts': "export default async (ctx) => 'it was in ' + (await ctx.ask('Where was it?'))" },
      { dispatcher, config: { record: true } },
    )
    await rig.says('ann', '/report', 'c1')
    await rig.until(async () => (await rig.texts('c1')).includes('Where was it?'))
    await bot.stop()
    const [event] = read(rig)
    expect(event).toMatchObject({ result: 'unfinished', calls: [{ input: { content: 'Where was it?' } }] })
  },
)

test('records nothing by default', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot({ 'commands/ping.ts': "export default () => 'pong'" })
  await rig.says('ann', '/ping')
  await rig.until(() => bot.stats().finished === 1)
  await bot.stop()
  expect(() => new History(file(rig))).toThrow(/nothing has been recorded yet/)
})

test('writes no token to the file, whatever a handler does with it', async () => {
  vi.stubEnv('WEATHER_KEY', 'canary-of-the-environment')
  onTestFinished(() => void vi.unstubAllEnvs())
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(
    {
      'commands/ask.ts': `export default (ctx) => ctx.reply({ content: '?', components: [{ type: 'row',
        components: [{ type: 'button', style: 'primary', label: 'Go', custom_id: 'go' }] }] })`,
      'buttons/go.ts': `export default async (ctx) => {
        await ctx.reply('my token is ' + ctx.event.token + ' and ${token} and canary-of-the-environment')
        await ctx.api.interactions.callback({ interaction_id: ctx.event.id, token: ctx.event.token, type: 'ack' })
        throw new Error('with ' + ctx.event.token + ' ' + JSON.stringify({ token: ctx.event.token }))
      }`,
    },
    { config: { record: true } },
  )
  await rig.says('ann', '/ask')
  await rig.until(() => bot.stats().finished === 1)
  const channel_id = rig.channel('general')
  const { messages } = await rig.person('ann').messages.list({ channel_id })
  const asked = messages.find((message) => message.components.length > 0)!
  await rig.person('ann').clicks.create({ channel_id, message_id: asked.id, custom_id: 'go' })
  await rig.until(() => bot.stats().finished === 2)
  await bot.stop()
  const [, click] = read(rig)
  expect(click).toMatchObject({ type: 'interaction', file: 'buttons/go.ts', result: 'error' })
  expect(click!.data).not.toHaveProperty('token')
  expect(click!.calls[0]).toMatchObject({ input: { content: 'my token is [secret] and [secret] and [secret]' } })
  expect(click!.calls[1]!.input).toEqual({ interaction_id: click!.data!['id'], type: 'ack' })
  expect(click!.error).toContain('with [secret]')
  const text = readFileSync(file(rig), 'latin1')
  expect(text).not.toContain(token)
  expect(text).not.toContain('canary-of-the-environment')
})

test('removes secrets from URLs and values of any type', () => {
  const clean = new HistoryRedactor(['canary"quoted"', 'plain-canary', 'x'])
  const text = clean.json(
    {
      a: 'canary"quoted" https://chat.example/api/webhooks/12/HOOKTOKEN?wait=true',
      b: ['plain-canary', { token: 'T', deep: { secret: 'S', Authorization: 'Bot abc' } }],
      c: 'POST /interactions/1/CLICKTOKEN/callback x',
      d: new Uint8Array(5),
    },
    10_000,
    'also-this',
  )
  for (const secret of ['canary', 'HOOKTOKEN', 'CLICKTOKEN', 'also-this', '"T"', '"S"', 'abc'])
    expect(text).not.toContain(secret)
  expect(JSON.parse(text!)).toMatchObject({ b: ['[secret]', { deep: {} }], d: '[5 bytes]' })
  expect(clean.json({ a: 1n }, 100)).toBeUndefined()
  expect(clean.json('x'.repeat(200), 100)).toBeUndefined()
})

function recorderOf(rig: ChatRig, options: Partial<RecorderOptions> = {}) {
  const logged: string[] = []
  const add = (_facts: object, message: string) => void logged.push(message)
  const log: Log = { debug: add, info: add, warn: add, error: add }
  const clock = new VirtualClock(Date.UTC(2026, 0, 10))
  const me = { id: 'bot', username: 'helper' } as RecorderOptions['me']
  const path = join(rig.root, 'history.db')
  const bounds = { days: 7, events: 100_000 }
  const make = () =>
    new Recorder({ file: path, baseUrl: 'http://x/v1', me, clock, timers: clock, log, bounds, secrets: [], ...options })
  return { logged, clock, path, make }
}
const event = (id: number, content = 'hi') => ({
  id,
  type: 'message',
  data: { content },
  created_at: '2026-01-10T00:00:00Z',
})

test('deletes old events and events beyond the limit', async () => {
  await using rig = await ChatRig.start()
  const { clock, path, make } = recorderOf(rig, { bounds: { days: 2, events: 10 } })
  const ids = () => {
    using history = new History(path)
    return history.events().map(({ id }) => id)
  }
  const first = make()
  for (let id = 1; id <= 30; id++) first.received({ event: event(id), attempt: 1 })
  first.close()
  expect(ids()).toEqual(Array.from({ length: 10 }, (_, i) => 21 + i))
  await clock.advance(3 * 86_400_000)
  const second = make()
  second.received({ event: event(98), attempt: 1 })
  second.called({ eventId: 30, name: 'me.get', input: {}, atMs: 0, ms: 1, budgetMs: 0, attempts: 1 })
  await clock.advance(11 * 60_000)
  second.received({ event: event(99), attempt: 1 })
  second.close()
  expect(ids()).toEqual([98, 99])
})

test('writes pending records in batches', async () => {
  await using rig = await ChatRig.start()
  const { clock, path, make } = recorderOf(rig)
  const recorder = make()
  recorder.received({ event: event(1), attempt: 1 })
  recorder.outcome({ eventId: 1, type: 'message', file: 'events/message.ts', ms: 3, result: 'ok' })
  using history = new History(path)
  expect(history.events()).toEqual([])
  await clock.advance(200)
  expect(history.events()).toMatchObject([{ id: 1, result: 'ok', ms: 3 }])
  recorder.close()
})

test('an event that goes on after it was written is read as one event, in the order of its arrival', async () => {
  await using rig = await ChatRig.start()
  const { clock, path, make } = recorderOf(rig)
  const recorder = make()
  using history = new History(path)
  recorder.received({ event: event(1, 'waits'), attempt: 1 })
  recorder.steps([
    1,
    Date.now(),
    true,
    true,
    false,
    '{"kind":"matched","file":"a.ts","r":1},{"kind":"handler","file":"a.ts","r":2}',
  ])
  await clock.advance(200)
  const call = {
    eventId: 1,
    name: 'me.get',
    input: {},
    atMs: Date.now(),
    ms: 1,
    budgetMs: 0,
    attempts: 1,
    value: { id: 'x' },
  }
  recorder.called(call)
  recorder.received({ event: event(2), attempt: 1 })
  recorder.settled({ event: event(2), attempt: 1 })
  await clock.advance(200)
  expect(history.events()).toMatchObject([
    { id: 1, result: 'unfinished', calls: [{ name: 'me.get', answer: { id: 'x' } }] },
    { id: 2, result: 'none' },
  ])
  recorder.steps([1, Date.now(), false, true, false, '{"end":1,"us":4000}'])
  recorder.outcome({ eventId: 1, type: 'message', file: 'a.ts', ms: 4, result: 'ok' })
  recorder.settled({ event: event(1), attempt: 1 })
  await clock.advance(200)
  recorder.close()
  const [first, second] = history.events()
  expect(first).toMatchObject({ id: 1, result: 'ok', file: 'a.ts', ms: 4, calls: [{ name: 'me.get' }] })
  expect(second).toMatchObject({ id: 2 })
  expect(history.events({ limit: 1 })).toEqual([second])
  expect(history.events({ seqs: [first!.seq] })).toEqual([first])
  expect(history.events({ file: 'a.ts' })).toEqual([first])
})

test('an event waits neither for one that was set aside nor for one of an earlier era', async () => {
  await using rig = await ChatRig.start()
  const { clock, path, make } = recorderOf(rig)
  const recorder = make()
  const crashed = { event: event(1), attempt: 4 }
  const file = () => Promise.reject(new Error('the code is closed'))
  recorder.unrun(crashed, { result: 'dead_lettered', message: 'it crashed', file })
  const older = { event: event(2, 'old'), attempt: 1 }
  const newer = { event: { ...event(2, 'new'), era: 1 }, attempt: 1 }
  recorder.received(older)
  recorder.received(newer)
  recorder.started(older)
  recorder.settled(older)
  recorder.started(newer)
  recorder.outcome({ eventId: '2@1', type: 'message', file: 'a.ts', ms: 1, result: 'ok' })
  recorder.settled(newer)
  await clock.advance(200)
  recorder.close()
  using history = new History(path)
  const events = history.events()
  expect(events.map((one) => [one.data?.['content'], one.era, one.result])).toEqual([
    ['hi', undefined, 'dead_lettered'],
    ['old', undefined, 'none'],
    ['new', 1, 'ok'],
  ])
  // On a busy machine, an event also waits for a free handler.
  const behind = events.map(({ steps = [] }) =>
    steps.flatMap((step) => (step.kind === 'queued' ? (step.behind ?? []) : [])),
  )
  expect(behind).toEqual([[], [], [2]])
})

test('secrets in the data of any event are not written', async () => {
  await using rig = await ChatRig.start()
  const { path, make } = recorderOf(rig, { secrets: ['canary-of-the-test'] })
  const recorder = make()
  recorder.received({ event: event(1, 'plain'), attempt: 1 })
  const data = {
    content: 'a canary-of-the-test',
    Token: 'T-1',
    deep: { secret: 'S-1', n: 1 },
    url: 'http://h/webhooks/1/W-1',
  }
  recorder.received({ event: { ...event(2), data }, attempt: 1 })
  recorder.close()
  using history = new History(path)
  expect(history.events().map((one) => one.data)).toEqual([
    { content: 'plain' },
    { content: 'a [secret]', deep: { n: 1 }, url: 'http://h/webhooks/1/[secret]' },
  ])
  const bytes = readFileSync(path, 'latin1')
  for (const secret of ['canary', 'T-1', 'S-1', 'W-1']) expect(bytes).not.toContain(secret)
})

test('a file that is not a history stops the recording until it is removed, and is left unchanged', async () => {
  await using rig = await ChatRig.start()
  const { clock, path, logged, make } = recorderOf(rig)
  writeFileSync(path, 'a text that somebody needs, long enough to be read as the head of a database'.repeat(20))
  const before = readFileSync(path)
  const recorder = make()
  recorder.received({ event: event(1), attempt: 1 })
  await clock.advance(180_000)
  expect(recorder.records).toBe(false)
  const stopped = expect.stringMatching(
    /history\.db: recording stopped: .*remove it\. The bot keeps running, and tries/,
  ) as string
  expect(logged).toEqual([stopped])
  expect(readFileSync(path)).toEqual(before)
  rmSync(path)
  await clock.advance(60_000)
  recorder.received({ event: event(2), attempt: 1 })
  await clock.advance(1000)
  expect(logged).toEqual([stopped, expect.stringMatching(/history\.db: recording resumed$/)])
  recorder.close()
  using history = new History(path)
  expect(history.events()).toMatchObject([{ id: 2 }])
})

test('a bot whose history cannot be written still replies', async () => {
  await using rig = await ChatRig.start()
  const first = await rig.startBot({ 'commands/ping.ts': "export default () => 'pong'" }, { config: { record: true } })
  await first.stop()
  rmSync(file(rig), { force: true })
  writeFileSync(file(rig), 'no database at all, but the text of somebody else'.repeat(50))
  const size = statSync(file(rig)).size
  const bot = await rig.startBot({ 'commands/ping.ts': "export default () => 'pong'" }, { config: { record: true } })
  await rig.says('ann', '/ping')
  await rig.until(() => bot.stats().finished === 1)
  await bot.stop()
  expect(await rig.texts()).toContain('pong')
  expect(rig.logged('error').filter((line) => line.includes('recording stopped'))).toHaveLength(1)
  expect(statSync(file(rig)).size).toBe(size)
})

test('rejects an invalid limit in the configuration', async () => {
  await using rig = await ChatRig.start()
  await expect(rig.startBot({}, { config: { record: { days: 0 } } })).rejects.toThrow(/bot\.config\.ts: record/)
})
