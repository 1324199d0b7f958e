import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { History } from './history.ts'
import { timelineOf } from './timeline.ts'
import { stepTexts } from './step-texts.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const index = new URL('../../../dist/index.js', import.meta.url).href
const library = `import { command, middleware, cooldown, dmOnly, guard } from '${index}'\n`

const timelines = (rig: ChatRig) => {
  using history = new History(join(rig.root, '.botwright/history.db'))
  return history.events().map(timelineOf)
}

describe.each(['inline', 'worker'] as const)('with the %s dispatcher', (dispatcher) => {
  const record = { dispatcher, config: { record: true as const } }
  /** Runs a bot, waits until it has finished this many events, and returns their timelines. */
  async function recorded(files: Record<string, string>, texts: readonly string[], config = {}) {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(files, { dispatcher, config: { record: true, ...config } })
    for (const [i, text] of texts.entries()) {
      await rig.says('ann', text)
      await rig.until(() => bot.stats().finished === i + 1)
    }
    await bot.stop()
    return timelines(rig)
  }

  test('records middleware, guards, the handler, state and calls in their order', async () => {
    const [first, second] = await recorded(
      {
        'commands/middleware.ts': `${library}export default middleware(async (ctx, next) => { await next() })`,
        'commands/count.ts': `${library}export default command({
          guards: [guard({ describe: 'only for people with a name', check: () => true, refusal: 'no' })],
          async run(ctx) {
            const before = await ctx.state.user.get('points')
            await ctx.state.user.set('points', { token: 'of a user', sum: (before?.sum ?? 0) + 1 })
            return 'counted'
          },
        })`,
      },
      ['/count', '/count'],
    )
    // A busy machine needs a while to start the handler.
    const kinds = first!.steps.map(({ kind }) => kind).filter((kind) => kind !== 'queued')
    expect(kinds).toEqual([
      ...['received', 'matched', 'middleware', 'guard', 'handler', 'state', 'state'],
      ...['call', 'finished'],
    ])
    expect(first!.brief).toBeUndefined()
    const [, , layer, rule, handler, get, set] = second!.steps.filter(({ kind }) => kind !== 'queued')
    expect(layer).toMatchObject({ file: 'commands/middleware.ts', ms: expect.any(Number) })
    expect(rule).toMatchObject({ rule: 'only for people with a name', passed: true })
    expect(handler).toMatchObject({ file: 'commands/count.ts', ms: expect.any(Number) })
    const key = expect.stringMatching(/^user\.points \[[0-9a-f-]{36}\]$/)
    expect(get).toMatchObject({ action: 'get', key, before: { value: { sum: 1 } } })
    expect(set).toMatchObject({ action: 'set', before: { value: { sum: 1 } }, after: { value: { sum: 2 } } })
    expect(JSON.stringify(second)).not.toContain('of a user')
    const times = second!.steps.map(({ atMs }) => atMs)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(layer!.ms).toBeGreaterThanOrEqual(handler!.ms!)
  })

  test('records the steps of a handler that logs a value that cannot be passed between threads', async () => {
    const files = { 'commands/log.ts': "export default (ctx) => (ctx.log.info({ ctx, f: () => 1 }, 'logged'), 'done')" }
    const [first] = await recorded(files, ['/log'])
    const kinds = first!.steps.map(({ kind }) => kind).filter((kind) => kind !== 'queued')
    expect(kinds).toEqual(['received', 'matched', 'handler', 'call', 'finished'])
  })

  test('shows the args of a command, without secrets', inAll, async () => {
    const [event, long] = await recorded(
      {
        'commands/pay.ts': `import { command, integer, rest } from '${index}'
          export default command({ args: { sum: integer(), words: rest() }, run: () => 'paid' })`,
      },
      [`/pay 3 for ${token} tea`, `/pay 3 ${'tea '.repeat(450)}`],
    )
    const handler = (timeline: typeof event) => timeline!.steps.find(({ kind }) => kind === 'handler')
    expect(handler(event)?.text).toMatch(/^handler commands\/pay\.ts with \{"sum":3,"words":"for \S+ tea"\}$/)
    expect(JSON.stringify(event!.steps)).not.toContain(token)
    expect(handler(long)?.text).toMatch(/tea .*…$/)
  })

  test('names the ids among the args that are of the event', inAll, async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(
      {
        'commands/claim.ts': `import { command, uuid } from '${index}'
          export default command({ args: { owner: uuid(), job: uuid() }, run: () => 'claimed' })`,
      },
      record,
    )
    const [job, channel] = [randomUUID(), rig.channel('general')]
    await rig.says('ann', `/claim ${channel} ${job}`)
    await rig.until(() => bot.stats().finished === 1)
    await bot.stop()
    expect(stepTexts(timelines(rig)[0]!)).toContain(
      `handler commands/claim.ts with {"owner":"${channel}","job":"${job}"} (owner is the channel #general)`,
    )
  })

  test('names the reason why no file handled an event', inAll, async () => {
    const all = await recorded(
      {
        'commands/ping.ts': "export default () => 'pong'",
        'commands/queue/add.ts': "export default () => 'added'",
      },
      ['/pin', 'hello', '/queue'],
    )
    expect(all.map(({ steps }) => steps.find(({ kind }) => kind === 'unmatched')?.text)).toEqual([
      'no file handles this command; the nearest is /ping',
      'no file handles this event',
      'no file handles this command',
    ])
  })

  test('names the guard that refused, and the time that is left of a cooldown', inAll, async () => {
    const [alone, , again] = await recorded(
      {
        'commands/private.ts': `${library}export default command({ guards: [dmOnly()], run: () => 'hi' })`,
        'commands/slow.ts': `${library}export default command({ guards: [cooldown('1h')], run: () => 'hi' })`,
      },
      ['/private', '/slow', '/slow'],
    )
    const guardOf = (one: typeof alone) => one!.steps.find(({ kind }) => kind === 'guard')
    expect(guardOf(alone)).toMatchObject({ rule: 'only in direct messages', passed: false })
    expect(guardOf(again)).toMatchObject({ passed: false, leftMs: expect.any(Number) })
    expect(guardOf(again)!.text).toMatch(/^guard refused: .*\((1 h|59 min.*) left\)$/)
  })

  test('records the details of a failure', inAll, async () => {
    const secret = `the token is ${token}`
    const [event] = await recorded(
      {
        'commands/bad.ts': `export default async () => {
  throw new TypeError('no map', { cause: new Error('${secret}') })
}`,
      },
      ['/bad'],
    )
    expect(event!.failure).toMatchObject({
      message: 'no map: the token is [secret]',
      name: 'TypeError',
      at: expect.stringMatching(/bad\.\w+:2$/),
      reference: expect.stringMatching(/^\w{4}$/),
      frame: { line: 2, column: 9, lines: [{ number: 1 }, { number: 2 }, { number: 3 }] },
      causes: [{ name: 'Error', message: 'the token is [secret]' }],
    })
    expect(JSON.stringify(event)).not.toContain(token)
  })

  test('an error about a value names its person, channel and member', inAll, async () => {
    const few =
      "{ '~standard': { validate: (value) => value > 0 ? { issues: [{ message: 'must be 0' }] } : { value } } }"
    const all = await recorded(
      {
        'commands/cup.ts': `import { command, oneOf, state } from '${index}'
          const cups = Object.fromEntries(['user', 'channel', 'member'].map((scope) =>
            [scope, state({ scope, name: scope + 's', schema: ${few}, initial: 0 })]))
          export default command({
            args: { of: oneOf('user', 'channel', 'member') },
            run: async (ctx) => { await cups[ctx.args.of].of(ctx).update((n) => n + 1) },
          })`,
      },
      ['/cup user', '/cup channel', '/cup member'],
    )
    const id = '[0-9a-f-]{36}'
    const owners = [`ann \\(${id}\\)`, `#general \\(${id}\\)`, `${id}:ann \\(${id}\\)`]
    expect(all.map(({ failure }) => failure?.message)).toEqual(
      owners.map(
        (owner) => expect.stringMatching(new RegExp(`: the value of ${owner} cannot be set: it must be 0`)) as string,
      ),
    )
  })

  test('an event that waits behind another one of its channel names it', inAll, async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(
      {
        'commands/slow.ts': `import { existsSync } from 'node:fs'
        export default async () => {
          while (!existsSync(${JSON.stringify(join(rig.root, 'go-on'))})) await new Promise((resolve) => setTimeout(resolve, 5))
          await new Promise((resolve) => setTimeout(resolve, 30))
          return 'done'
        }`,
      },
      record,
    )
    await rig.says('ann', '/slow 1')
    await rig.says('ann', '/slow 2')
    await rig.until(() => bot.stats().received === 2)
    writeFileSync(join(rig.root, 'go-on'), '')
    await rig.until(() => bot.stats().finished === 2)
    await bot.stop()
    const [first, second] = timelines(rig)
    expect(second!.steps[1]).toMatchObject({ kind: 'queued', behind: first!.event.id })
    expect(second!.steps[1]!.ms).toBeGreaterThan(20)
    expect(first!.steps.some((step) => step.kind === 'queued' && step.behind !== undefined)).toBe(false)
  })

  test('a question is a wait, and its answer names the handler', inAll, async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(
      {
        'commands/report.ts':
          "export default async (ctx) => 'it was in ' + (await ctx.ask('Where?', { timeout: '5m' }))",
      },
      record,
    )
    await rig.says('ann', '/report')
    await rig.until(async () => (await rig.texts('general')).includes('Where?'))
    await rig.until(
      () =>
        existsSync(join(rig.root, '.botwright/history.db')) &&
        timelines(rig).some(({ steps }) => steps.some(({ kind }) => kind === 'wait')),
    )
    const open = timelines(rig)[0]!
    expect(open.result).toBe('unfinished')
    expect(open.steps.find(({ kind }) => kind === 'wait')).toMatchObject({ for: 'answer' })
    await rig.says('ann', 'the garden')
    await rig.until(async () => (await rig.texts('general')).includes('it was in the garden'))
    await bot.stop()
    const [asked, answer] = timelines(rig)
    const wait = asked!.steps.find(({ kind }) => kind === 'wait')!
    expect(wait).toMatchObject({ for: 'answer', ms: expect.any(Number) })
    expect(Math.round((wait as { untilMs: number }).untilMs - wait.atMs)).toBe(300_000)
    expect(asked!.result).toBe('ok')
    expect(asked!.steps.filter(({ kind }) => kind === 'wait' || kind === 'handler')).toHaveLength(2)
    expect(answer!.steps.map(({ kind }) => kind)).toContain('unmatched')
    expect(answer!.steps.find(({ kind }) => kind === 'unmatched')).toMatchObject({ reason: 'for_waiting_handler' })
  })

  test('a message after a question that ended without an answer names the question', inAll, async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(
      {
        'commands/order.ts':
          "export default async (ctx) => void (await ctx.ask('Small or\\nlarge?', { timeout: '200ms', cancel: 'stop' }))",
        'commands/buy.ts':
          "export default async (ctx) => void (await ctx.ask('Small or\\nlarge?', { timeout: '5m', cancel: 'stop' }))",
        'commands/meet.ts': "export default async (ctx) => void (await ctx.ask('When?', { timeout: '5m' }))",
      },
      record,
    )
    const recorded = () =>
      existsSync(join(rig.root, '.botwright/history.db'))
        ? timelines(rig).filter(({ steps }) =>
            steps.some((step) => step.kind === 'unmatched' && step.reason === 'no_file'),
          ).length
        : 0
    const unhandled = async (text: string) => {
      const before = recorded()
      await rig.says('ann', text)
      await rig.until(() => recorded() === before + 1)
    }
    const posted = (text: string) =>
      rig.until(async () => (await rig.texts('general')).some((one) => one.includes(text)))
    await unhandled('nothing was asked')
    await rig.says('ann', '/order')
    await posted('No answer')
    await unhandled('large')
    await rig.says('ann', '/meet')
    await posted('When?')
    await rig.says('ann', '/buy')
    await rig.until(async () => (await rig.texts('general')).filter((text) => text.startsWith('Small')).length === 2)
    await rig.says('ann', 'stop')
    await posted('Cancelled')
    await unhandled('at noon')
    await bot.stop()
    using history = new History(join(rig.root, '.botwright/history.db'))
    const missed = history.events().flatMap((event) => {
      const step = timelineOf(history.withMissedQuestion(event)).steps.find(({ kind }) => kind === 'unmatched')
      return step?.kind === 'unmatched' && step.reason === 'no_file' ? [step] : []
    })
    expect(missed.map((step) => step.missed)).toEqual([
      undefined,
      {
        why: 'timed_out',
        at: expect.any(String),
        place: expect.stringMatching(/commands\/order\.\w+:1$/),
        text: 'Small or large?',
      },
      {
        why: 'cancelled',
        at: expect.any(String),
        place: expect.stringMatching(/commands\/buy\.\w+:1$/),
        text: 'Small or large?',
      },
    ])
    expect(missed[1]!.text).toMatch(
      /^no file handles this event; the question “Small or large\?” \(\S+\) had timed out at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
    )
    const [first] = timelines(rig).filter(({ event }) => event.title === '/meet')
    expect(first!.steps.find(({ kind }) => kind === 'wait')).toMatchObject({
      unanswered: { why: 'replaced' },
      text: expect.stringContaining('replaced by a newer question'),
    })
  })

  test('a click on a question that is over names that, and no file', inAll, async () => {
    await using rig = await ChatRig.start()
    const files = {
      'commands/drink.ts': "export default async (ctx) => 'one ' + (await ctx.choose('Drink?', ['tea']))",
    }
    let bot = await rig.startBot(files, record)
    await rig.says('ann', '/drink')
    await rig.until(async () => (await rig.texts()).includes('Drink?'))
    await bot.stop()
    bot = await rig.startBot(files, record)
    await rig.clicks()
    await rig.until(() => bot.stats().finished === 1)
    await bot.stop()
    const click = timelines(rig).at(-1)!
    expect(click).toMatchObject({ result: 'refused', event: { type: 'interaction' } })
    expect(click.file).toBeUndefined()
    expect(stepTexts(click)).toEqual(
      expect.arrayContaining([
        'the question with this button is closed: it was answered or replaced, or has expired',
        'refused: the question with this button is closed: it was answered or replaced, or has expired',
      ]),
    )
  })

  test('a message that waits for the budget records the wait', inAll, async () => {
    const [event] = await recorded(
      { 'commands/twice.ts': "export default async (ctx) => { await ctx.reply('a'); await ctx.reply('b') }" },
      ['/twice'],
      { messageBudget: { requests: 1, seconds: 2 } },
    )
    expect(event!.steps.find(({ kind }) => kind === 'wait')).toMatchObject({ for: 'budget', ms: expect.any(Number) })
  })

  test('a long value is cut, without a part of a secret at its end', inAll, async () => {
    const [event] = await recorded(
      {
        'commands/long.ts': `export default async (ctx) => {
          await ctx.state.bot.set('text', 'x'.repeat(1985) + '${token}' + 'y'.repeat(50))
        }`,
      },
      ['/long'],
    )
    const set = event!.steps.find(({ kind }) => kind === 'state') as { after?: { json?: string; length?: number } }
    expect(set.after).toMatchObject({ cut: true, length: expect.any(Number) })
    expect(set.after!.json).toHaveLength(2000)
    expect(set.after!.json).not.toContain(token.slice(0, 8))
  })
})

test('a thread that blocks still has its event recorded with its file', inAll, async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(
    { 'commands/exit.ts': 'export default () => process.exit(1)' },
    { dispatcher: 'worker', config: { record: true } },
  )
  await rig.says('ann', '/exit')
  await rig.until(async () => (await rig.texts()).length === 2)
  await bot.stop()
  const [event] = timelines(rig)
  expect(event).toMatchObject({ result: 'dead_lettered', file: 'commands/exit.ts' })
  expect(event!.steps.filter(({ kind }) => kind === 'handler').length).toBeGreaterThan(0)
})
