import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordedEvent } from '@botwright/framework/replay'
import type { Timeline } from '@botwright/protocol/timeline'
import { openDatabase } from '@botwright/sqlite'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { chosen, published } from './publish-timelines.ts'
import { startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

test(
  'the owner of the bot reads what it did for each event, with the guilty line of a failure, and no secrets',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make({
      'commands/roll.ts': `import { command } from '@botwright/framework'
export default command({ description: 'Rolls', run: () => {
  const dice: { sides?: { length: number } } = {}
  return String(dice.sides!.length)
} })`,
      'commands/ping.ts': 'export default () => "pong " + process.env.API_SECRET',
      '.env': 'API_SECRET=hunter2-hunter2\n',
    })
    const dev = await startDev(draft)
    const { output } = dev
    try {
      await expect.poll(output).toContain('Chat')
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output())![0]
      const ann = await startPerson(url, 'ann')
      const bob = await startPerson(url, 'bob')
      await bob.answerTo('/roll')
      await ann.answerTo('/ping')
      const timelines = async () => (await ann.api.inspector.timelines()).timelines
      const results = async () => (await timelines()).map(({ title, result }) => `${title} ${result}`)
      await expect.poll(results).toEqual(expect.arrayContaining(['/roll error', '/ping ok']))
      const all = await timelines()
      const roll = all.find(({ title }) => title === '/roll')!
      expect(roll).toMatchObject({ file: 'commands/roll.ts', at: 'commands/roll.ts:4', who: 'bob → #general' })
      expect(await ann.api.messages.get({ channel_id: roll.channel_id!, message_id: roll.message_id! })).toMatchObject({
        content: '/roll',
      })
      const read = (of: (typeof all)[number]) =>
        ann.api.inspector.timeline({ bot_id: of.bot_id, event_id: String(of.event_id) })
      const { failure, steps } = await read(roll)
      const path = draft.root.replaceAll('\\', '/').replace(/^\//, '')
      expect(failure).toMatchObject({
        name: 'TypeError',
        at: 'commands/roll.ts:4',
        link: `vscode://file/${path}/commands/roll.ts:4`,
        frame: { line: 4 },
      })
      expect(steps.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['received', 'matched', 'handler', 'call', 'finished']),
      )
      const ping = await read(all.find(({ title }) => title === '/ping')!)
      expect(JSON.stringify(ping)).toContain('pong')
      expect(JSON.stringify(ping)).not.toContain('hunter2')
      expect((await bob.api.inspector.timelines()).timelines).toEqual([])
      await expect(
        bob.api.inspector.timeline({ bot_id: roll.bot_id, event_id: String(roll.event_id) }),
      ).rejects.toMatchObject({ status: 404 })
      await draft.write({ '.env': 'API_SECRET=hunter2-hunter2\nBOT_EDITOR_LINK=idea://open?file={file}&line={line}\n' })
      await expect.poll(output).toContain('.env has changed (BOT_EDITOR_LINK): restarted')
      await bob.answerTo('/roll')
      const links = async () => {
        const rolls = (await timelines()).filter(({ title, result }) => title === '/roll' && result === 'error')
        return (await Promise.all(rolls.map(read))).map((one) => one.failure?.link)
      }
      await expect.poll(links).toContain(`idea://open?file=/${path}/commands/roll.ts&line=4`)
    } finally {
      await stop(dev)
    }
  },
)

test('a text that the service refuses hides no timeline', async () => {
  await using draft = await BotDraft.make({
    'commands/half.ts': "export default () => { throw new Error('half \\ud83d and \\0') }",
    'commands/ping.ts': "export default () => 'pong'",
  })
  const dev = await startDev(draft)
  try {
    await expect.poll(dev.output).toContain('Chat')
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
    await ann.answerTo('/half')
    await ann.answerTo('/ping')
    const timelines = async () =>
      (await ann.api.inspector.timelines()).timelines.map(({ title, error }) => [title, error])
    await expect.poll(timelines).toEqual([
      ['/half', 'half \ufffd and \ufffd'],
      ['/ping', null],
    ])
    expect(dev.output()).not.toContain('the page cannot show')
  } finally {
    await stop(dev)
  }
})

test('requests to routes and runs of tasks have timelines', async () => {
  await using draft = await BotDraft.make({
    'bot.config.ts': 'export default { http: { port: 0 } }',
    'routes/github.ts': `import { route } from '@botwright/framework'
export default route({ verify: false, run: () => { throw new Error('no repository') } })`,
    'commands/ping.ts': `export default async (ctx) => { await ctx.schedule('tea', { in: 0 }); return 'pong' }`,
    'tasks/tea.ts': "export default () => { throw new Error('no tea') }",
  })
  await using dev = await startDev(draft)
  await expect.poll(dev.output).toContain('Chat')
  const ann = await startPerson(/Chat +(http:\/\/[\d.:]+)/.exec(dev.output())![1]!, 'ann')
  const port = /routes listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(dev.output())![1]!
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(`http://127.0.0.1:${port}/github`, { method: 'POST', headers, body: '{}' })).status).toBe(202)
  await ann.answerTo('/ping')
  const seen = async () =>
    (await ann.api.inspector.timelines()).timelines.map(({ title, result, error }) => `${title} ${result} ${error}`)
  await expect
    .poll(seen)
    .toEqual(expect.arrayContaining(['POST /github error no repository', 'task tea error no tea', '/ping ok null']))
})

test('a flood of events is shown in part, first its failures, then what files handled', () => {
  const result = (seq: number) => (seq === 3 ? 'error' : seq === 5 ? 'ok' : 'none')
  const flood = Array.from({ length: 300 }, (_, seq) => ({ seq, result: result(seq) }) as RecordedEvent)
  const seqs = chosen(flood).map(({ seq }) => seq)
  expect([seqs.length, ...seqs.slice(0, 3), seqs.at(-1)]).toEqual([100, 3, 5, 202, 299])
  expect(chosen(flood.slice(0, 100))).toHaveLength(100)
})

test('work of the bot, whose ids begin again with each process, is known by its place in the recording', () => {
  const timeline = (id: number, seq: number) => ({ event: { seq, id }, steps: [] }) as unknown as Timeline
  expect([timeline(-1, 7), timeline(-1, 9), timeline(12, 8)].map((one) => published(one).event.id)).toEqual([
    -7, -9, 12,
  ])
})

test('an event that cannot be read is named once, and hides no timeline', slow, async () => {
  await using draft = await BotDraft.make({ 'commands/ping.ts': "export default () => 'pong'" })
  await using dev = await startDev(draft)
  await expect.poll(dev.output).toContain('Chat')
  const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
  await ann.answerTo('/ping')
  const titles = async () => (await ann.api.inspector.timelines()).timelines.map(({ title }) => title)
  await expect.poll(titles).toEqual(['/ping'])
  const db = openDatabase(join(draft.root, '.botwright/history.dev.db'), { busyTimeoutMs: 5000 })
  db.exec(`INSERT INTO part SELECT id + 1000, session, last_seq + 1000, last_seq + 1000, 0, 0, last_ms, last_ms, '{"half'
    FROM part ORDER BY id DESC LIMIT 1`)
  db.close()
  await ann.answerTo('/ping')
  await expect.poll(dev.output).toContain('cannot be read, and is left out')
  await expect.poll(titles).toEqual(['/ping', '/ping'])
  expect(dev.output()).not.toContain('the page cannot show')
})

test('a timeline that is too long loses long values first, then steps, but not its end', () => {
  const step = (value: string, atMs: number) => ({
    kind: 'call',
    name: 'x',
    input: value,
    answers: true,
    ok: true,
    atMs,
  })
  const timeline = (steps: object[]): Timeline =>
    ({
      version: 1,
      event: { seq: 1, id: 1, type: 'message', data: { id: 'm', content: 'x'.repeat(100_000) } },
      result: 'ok',
      steps: [...steps, { kind: 'finished', result: 'ok', atMs: 9, text: 'finished' }].map((one) => ({
        text: '',
        ...one,
      })),
    }) as unknown as Timeline
  const few = published(timeline([step('short', 1), step('y'.repeat(90_000), 2)]))
  expect(few.event.data).toEqual({ id: 'm' })
  expect(few.steps.map((one) => 'input' in one && one.input)).toEqual(['short', false, false])
  const many = published(timeline(Array.from({ length: 3000 }, (_, at) => step('z'.repeat(100), at))))
  expect(JSON.stringify(many).length).toBeLessThan(64 * 1024)
  expect(many.steps.length).toBeGreaterThan(100)
  expect(many.steps.at(-1)).toMatchObject({ kind: 'finished' })
})

test(
  'the owner runs an event again with the current code, which sends nothing',
  { tags: 'all/real-time' },
  async () => {
    const roll = (text: string) => `export default () => { ${text} }`
    await using draft = await BotDraft.make({ 'commands/roll.ts': roll("throw new Error('no sides')") })
    const dev = await startDev(draft)
    const { output } = dev
    const stopping = new AbortController()
    try {
      await expect.poll(output).toContain('Chat')
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output())![0]
      const ann = await startPerson(url, 'ann')
      await ann.answerTo('/roll')
      const seen = await ann.follow('bot_replay', stopping.signal)
      await expect
        .poll(async () => (await ann.api.inspector.timelines()).timelines)
        .toMatchObject([{ result: 'error' }])
      const [{ bot_id, event_id } = { bot_id: '', event_id: 0 }] = (await ann.api.inspector.timelines()).timelines
      const again = () => ann.api.inspector.replay({ bot_id, event_id: String(event_id) })
      await draft.write({ 'commands/roll.ts': roll("return 'six'") })
      await expect.poll(output).toContain('↻')
      const before = await ann.sees()
      await again()
      await expect.poll(seen).toHaveLength(1)
      expect(seen()[0]).toMatchObject({
        event_id,
        replay: {
          verdict: 'fixed',
          was: expect.arrayContaining([
            expect.stringMatching(/^error: no sides \(commands\/roll\.ts:\d+\)$/),
          ]) as unknown,
          now: ['reply “six”'],
        },
      })
      expect(await ann.sees()).toEqual(before)
      await draft.write({ 'commands/roll.ts': 'export default (' })
      await expect.poll(output).toContain('still running the previous version')
      await again()
      await expect.poll(seen).toHaveLength(2)
      expect(seen()[1]).toMatchObject({
        replay: {
          verdict: 'failed',
          now: expect.arrayContaining(['✘ commands/roll.ts:1:17  Unexpected end of file']) as unknown,
        },
      })
    } finally {
      stopping.abort()
      await stop(dev)
    }
  },
)

test(
  'the timers of a replay end with it, a replay that ends early has failed, and the end of dev stops one',
  { tags: 'all/real-time' },
  async () => {
    const pids = (text: string) => `import { appendFileSync } from 'node:fs'
const isReplay = process.pid !== ${process.pid}
if (isReplay) appendFileSync(process.env.PIDS, process.pid + '\\n')
${text}
export default {}`
    await using draft = await BotDraft.make({ 'commands/roll.ts': "export default () => 'six'" })
    const file = join(draft.root, 'pids')
    await draft.write({
      pids: '',
      '.env': `PIDS=${file}\n`,
      'bot.config.ts': pids('if (isReplay) setInterval(() => {}, 1000)'),
    })
    const ended = async () => (await readFile(file, 'utf8')).split('\n').filter(Boolean).map(Number)
    const left = async () =>
      (await readdir(join(draft.root, '.botwright'))).filter((name) => name.startsWith('replay-'))
    const dev = await startDev(draft)
    const { output } = dev
    const stopping = new AbortController()
    try {
      await expect.poll(output).toContain('Chat')
      const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
      await ann.answerTo('/roll')
      const seen = await ann.follow('bot_replay', stopping.signal)
      await expect.poll(async () => (await ann.api.inspector.timelines()).timelines).toMatchObject([{ result: 'ok' }])
      const [{ bot_id, event_id } = { bot_id: '', event_id: 0 }] = (await ann.api.inspector.timelines()).timelines
      const again = () => ann.api.inspector.replay({ bot_id, event_id: String(event_id) })
      await again()
      await expect.poll(seen).toMatchObject([{ replay: { verdict: 'same' } }])
      const [pid] = await ended()
      expect(() => process.kill(pid!, 0)).toThrow('ESRCH')
      await draft.write({ 'bot.config.ts': pids('if (isReplay) process.exit(3)') })
      await again()
      await expect.poll(seen).toHaveLength(2)
      expect(seen()[1]).toMatchObject({
        replay: { verdict: 'failed', now: ['the process of the replay ended with code 3'] },
      })
      await draft.write({ 'bot.config.ts': pids('if (isReplay) await new Promise((end) => setTimeout(end, 2 ** 30))') })
      const before = (await ended()).length
      await again()
      await expect.poll(async () => (await ended()).length).toBe(before + 1)
      expect(await left()).toHaveLength(1)
    } finally {
      stopping.abort()
      await stop(dev)
    }
    const last = (await ended()).at(-1)!
    expect(() => process.kill(last, 0)).toThrow('ESRCH')
    expect(await left()).toEqual([])
  },
)
