import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdvanceableClock, systemClock, VirtualClock } from '@botwright/clock'
import { expect, test, vi } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { Pace } from './stream.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

/** A command whose source yields a word every 20 ms. */
const answer = (options = '{}', more = '') => `
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  async function* words(count) {
    try {
      for (let i = 0; i < count; i++) { yield 'word' + i + ' '; await wait(20) ${more} }
    } finally { console.log('closed') }
  }
  export default async (ctx) => {
    const { text, messages, end } = await ctx.stream(words(Number(ctx.typed)), ${options})
    await ctx.send(ctx.channel_id, [end, text.length, messages.length].join(' '))
  }`
/**
 * A command whose source yields 50 words at once, again and again, each time after the file go-on-<n> exists. It writes the file
 * waits-<n> when it waits for go-on-<n>: all earlier words are then taken.
 */
const answerInParts = (rig: ChatRig, parts: number) => `
  import { existsSync, writeFileSync } from 'node:fs'
  async function* words() {
    for (let i = 0; i < ${parts} * 50; i++) {
      if (i > 0 && i % 50 === 0) writeFileSync(${JSON.stringify(rig.root)} + '/waits-' + i / 50, '')
      while (i > 0 && i % 50 === 0 && !existsSync(${JSON.stringify(rig.root)} + '/go-on-' + i / 50))
        await new Promise((resolve) => setTimeout(resolve, 5))
      yield 'word' + i + ' '
    }
  }
  export default async (ctx) => {
    const { text, messages, end } = await ctx.stream(words())
    await ctx.send(ctx.channel_id, [end, text.length, messages.length].join(' '))
  }`
const waits = (rig: ChatRig, part: number) => rig.until(() => existsSync(join(rig.root, `waits-${part}`)))
const goOn = (rig: ChatRig, part: number) => writeFileSync(join(rig.root, `go-on-${part}`), '')
/** Longer than the pace of a stream whose edits are accepted. */
const PACE_MS = 1200
const ping = "export default () => 'pong'"
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i} `).join('')
const edits = async (rig: ChatRig) => rig.calls('PATCH', /\/messages\//)

test('all streams in one channel together edit at most 60 times a minute', () => {
  const pace = new Pace(new VirtualClock())
  for (const channel of ['a', 'b', 'a', 'a']) pace.begin(channel)
  expect((3 * 60_000) / pace.msIn('a')).toBeLessThanOrEqual(60)
  expect((3 * 60_000) / pace.msIn('a') + 60_000 / pace.msIn('b')).toBeLessThanOrEqual(120)
  for (const channel of ['a', 'b', 'a']) pace.end(channel)
  expect(60_000 / pace.msIn('a')).toBeGreaterThan(50)
})

test.each(['inline', 'worker'] as const)(
  'a text is shown while it is written, in few edits, exactly, and its channel continues (%s)',
  inAll,
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const clock = new AdvanceableClock(systemClock)
    await rig.startBot({ 'commands/answer.ts': answerInParts(rig, 3), 'commands/ping.ts': ping }, { dispatcher, clock })
    await rig.says('ann', '/answer')
    await rig.until(async () => (await rig.texts()).some((text) => text.endsWith(' ▍')))
    await rig.says('ann', '/ping')
    await rig.until(async () => (await rig.texts()).includes('pong'))
    goOn(rig, 1)
    await rig.until(async () => {
      clock.advance(PACE_MS / 2)
      return (await rig.texts()).some((text) => text.includes('word99 '))
    })
    goOn(rig, 2)
    const whole = words(150)
    await rig.until(async () => (await rig.texts()).includes(`complete ${whole.length} 1`))
    expect((await rig.texts()).map((text) => text.trimEnd())).toContain(whole.trimEnd())
    const all = await edits(rig)
    // For 150 words.
    expect(all.length).toBeGreaterThan(1)
    expect(all.length).toBeLessThan(8)
    expect(all.filter(({ status }) => status !== 200)).toEqual([])
  },
)

/** A bot on a clock that only the test advances, with a text of four parts, whose first one is shown. */
async function startText(rig: ChatRig) {
  const clock = new VirtualClock()
  const after = vi.spyOn(clock, 'after')
  const pace = new Pace(clock)
  pace.begin('a')
  const files = { 'commands/answer.ts': answerInParts(rig, 4), 'commands/ping.ts': ping }
  await rig.startBot(files, { dispatcher: 'inline', clock })
  const untilSet = (ms: number, times: number) =>
    rig.until(() => after.mock.calls.filter(([waitMs]) => waitMs === ms).length === times)
  const editsAfterPong = async () => {
    // Ann's command is handled after anything that the stream does at once.
    const count = (await rig.texts()).filter((text) => text === 'pong').length
    await rig.says('ann', '/ping')
    await rig.until(async () => (await rig.texts()).filter((text) => text === 'pong').length > count)
    return edits(rig)
  }
  await rig.says('ann', '/answer')
  await waits(rig, 1)
  await untilSet(pace.msIn('a'), 1)
  return { clock, paceMs: pace.msIn('a'), untilSet, editsAfterPong }
}
const release = async (rig: ChatRig, part: number) => (goOn(rig, part), await waits(rig, part + 1))
const shows = (rig: ChatRig, text: string) =>
  rig.until(async () => (await rig.texts()).some((shown) => shown.endsWith(` ▍`) && shown.includes(text)))

test('a stream edits its message once in each pace, with all words so far', async () => {
  await using rig = await ChatRig.start()
  const { clock, paceMs, untilSet, editsAfterPong } = await startText(rig)
  for (const part of [1, 2]) {
    await release(rig, part)
    expect(await editsAfterPong()).toEqual([])
  }
  await clock.advance(paceMs - 1)
  expect(await editsAfterPong()).toEqual([])
  await clock.advance(1)
  await untilSet(paceMs, 2)
  await shows(rig, 'word149 ')
  expect(await editsAfterPong()).toHaveLength(1)
  goOn(rig, 3)
  await rig.until(async () => (await rig.texts()).includes(`complete ${words(200).length} 1`))
  expect(await edits(rig)).toHaveLength(2)
})

test('a stream waits for the longer pace after a refused edit', async () => {
  await using rig = await ChatRig.start()
  const { clock, paceMs, untilSet, editsAfterPong } = await startText(rig)
  const statuses = async () => (await editsAfterPong()).map(({ status }) => status)
  const refusal = { status: 429, headers: { 'retry-after': '2' }, body: { error: 'slow down' } }
  await rig.fault('PATCH', '/v1/channels/*', { then: refusal, times: 1 })
  await release(rig, 1)
  await clock.advance(paceMs)
  await untilSet(2000, 1)
  expect((await edits(rig)).map(({ status }) => status)).toEqual([429])
  await clock.advance(2000)
  await untilSet(paceMs * 1.5, 1)
  await shows(rig, 'word99 ')
  await release(rig, 2)
  await clock.advance(paceMs * 1.5 - 1)
  expect(await statuses()).toEqual([429, 200])
  await clock.advance(1)
  // The edit was quick.
  await untilSet(paceMs * 1.5 * 0.95, 1)
  await shows(rig, 'word149 ')
  expect(await statuses()).toEqual([429, 200, 200])
  goOn(rig, 3)
  await rig.until(async () => (await rig.texts()).includes(`complete ${words(200).length} 1`))
})

test('a stream edits less often after an edit that was slow, until its edits are quick again', async () => {
  const clock = new VirtualClock()
  const pace = new Pace(clock)
  pace.begin('a')
  const fast = pace.msIn('a')
  await pace.edit(() => clock.advance(1000))
  expect(pace.msIn('a')).toBe(fast * 1.5)
  for (let i = 0; i < 20; i++) await pace.edit(() => clock.advance(1000))
  expect(pace.msIn('a')).toBe(10_000)
  await pace.edit(() => clock.advance(100))
  expect(pace.msIn('a')).toBeLessThan(10_000)
  for (let i = 0; i < 60; i++) await pace.edit(() => clock.advance(100))
  expect(pace.msIn('a')).toBe(fast)
})

test('the service accepts a text whose parts end within characters, links and code', inAll, async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const parts = [
    'Look \ud83c',
    '\udf89 at [the do',
    'cs](https://example.com/a)\n\n1. Run\n   ````sh\n   a ``',
    '`\n   ````\n',
  ]
  const source = `
    import { existsSync } from 'node:fs'
    async function* parts() {
      for (const [i, part] of ${JSON.stringify(parts)}.entries()) {
        yield part
        while (!existsSync(${JSON.stringify(rig.root)} + '/go-on-' + (i + 1)))
          await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    export default async (ctx) => { await ctx.stream(parts()) }`
  await rig.startBot({ 'commands/answer.ts': source }, { clock })
  await rig.says('ann', '/answer')
  const states = [
    'Look  ▍',
    'Look 🎉 at  ▍',
    'Look 🎉 at [the docs](https://example.com/a)\n\n1. Run\n   ````sh\n   a `` ▍\n   ````',
  ]
  for (const [i, state] of states.entries()) {
    await rig.until(async () => {
      clock.advance(PACE_MS)
      return (await rig.texts()).includes(state)
    })
    goOn(rig, i + 1)
  }
  goOn(rig, 4)
  await rig.until(async () => (await rig.texts()).map((text) => text.trimEnd()).includes(parts.join('').trimEnd()))
  expect((await edits(rig)).filter(({ status }) => status !== 200)).toEqual([])
})

test('a long text becomes several messages', inAll, async () => {
  await using rig = await ChatRig.start()
  const source =
    "export default async (ctx) => { await ctx.stream((async function* () { for (let i = 0; i < 900; i++) yield 'word' + i + ' ' })()) }"
  await rig.startBot({ 'commands/answer.ts': source })
  await rig.says('ann', '/answer')
  const isPart = (text: string) => text.startsWith('word')
  await rig.until(async () => (await rig.texts()).filter(isPart).join(' ').includes('word899'))
  const parts = (await rig.texts()).filter(isPart)
  expect(parts.length).toBe(4)
  expect(parts.map((part) => part.trimEnd()).join(' ')).toBe(words(900).trimEnd())
})

test('its user stops it with a button, which goes with it', inAll, async () => {
  await using rig = await ChatRig.start(['ann', 'bob'])
  await rig.startBot({ 'commands/answer.ts': answer("{ stop: 'Stop' }") })
  await rig.says('ann', '/answer Infinity')
  await rig.clicks('general', 'ann')
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('stopped')))
  expect((await rig.texts()).some((text) => /^word0 (?:word\d+ )*…$/.test(text))).toBe(true)
  const bodies = (await edits(rig)).map(({ body }) => body as { components?: unknown })
  expect(bodies.at(-1)).toMatchObject({ components: null })
  expect(rig.logged('error')).toEqual([])
})

test.each([
  ['a time limit', "{ timeout: '1h' }", 'timeout'],
  ['a signal', '{ signal: globalThis.streamOfTest.signal }', 'stopped'],
])('%s ends it', async (_, options, end) => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const stop = new AbortController()
  Object.assign(globalThis, { streamOfTest: stop })
  await rig.startBot({ 'commands/answer.ts': answer(options) }, { dispatcher: 'inline', clock })
  await rig.says('ann', '/answer Infinity')
  await rig.until(async () => (await rig.texts()).some((text) => text.endsWith(' ▍')))
  if (end === 'timeout') clock.advance(3_600_000)
  else stop.abort()
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith(end)))
  expect((await rig.texts()).some((text) => text.endsWith('…'))).toBe(true)
})

test('its user stops it before the response to its message arrives', inAll, async () => {
  await using rig = await ChatRig.start()
  await rig.startBot({ 'commands/answer.ts': answer("{ stop: 'Stop' }") })
  await rig.fault('POST', `/v1/channels/${rig.channel('general')}/messages`, { then: 'slow', seconds: 600 })
  await rig.says('ann', '/answer Infinity')
  await rig.clicks()
  await rig.until(async () => (await rig.callbacks()).includes('ack'))
  rig.service.clock.advance(600_000)
  await rig.until(async () => (await rig.texts()).some((text) => text.startsWith('stopped')))
  expect(new Set(await rig.callbacks())).toEqual(new Set(['ack']))
})

test('the time limit of the handler begins again after a text with a button', inAll, async () => {
  await using rig = await ChatRig.start()
  const tell = `export default async (ctx) => {
    const { signal } = ctx
    await ctx.stream((async function* () { yield 'hello' })(), { stop: 'Stop', signal })
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await ctx.send(ctx.channel_id, signal.reason.code)
  }`
  await rig.startBot({ 'commands/tell.ts': tell }, { config: { limits: { handlerSeconds: 2 } } })
  await rig.says('ann', '/tell')
  await rig.until(async () => (await rig.texts()).includes('ERR_HANDLER_TIMEOUT'))
})

test('an error of the source ends the handler after the text so far was shown', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot({ 'commands/answer.ts': answer('{}', "; if (i === 3) throw new Error('the model is gone')") })
  await rig.says('ann', '/answer 10')
  await rig.until(() => rig.logged('error').some((line) => line.includes('the model is gone')))
  await rig.until(async () => (await rig.texts()).includes('word0 word1 word2 word3 …'))
})

test('a message that is deleted ends the stream, and its source', inAll, async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  await rig.startBot({ 'commands/answer.ts': answer() }, { clock })
  await rig.fault('PATCH', '/v1/channels/*', { then: { status: 404, body: { error: 'not found' } }, times: 100 })
  await rig.says('ann', '/answer Infinity')
  await rig.until(async () => (await rig.texts()).some((text) => text.endsWith(' ▍')))
  await rig.until(() => rig.logged('error').some((line) => line.includes('not found')) || (clock.advance(100), false))
})

test('rejects a source that does not yield strings; an empty one sends nothing', inAll, async () => {
  await using rig = await ChatRig.start()
  const of = (yields: string) => `export default async (ctx) => {
    const { messages } = await ctx.stream((async function* () { ${yields} })())
    await ctx.reply('sent ' + messages.length)
  }`
  await rig.startBot({ 'commands/wrong.ts': of('yield { text: 1 }'), 'commands/empty.ts': of("yield ' '") })
  await rig.says('ann', '/wrong')
  await rig.until(() =>
    rig.logged('error').some((line) => line.includes('it yielded object: yield each part as a string')),
  )
  await rig.says('ann', '/empty')
  await rig.until(async () => (await rig.texts()).includes('sent 0'))
})

test('on a click, the text replaces the clicked message, or is a reply', inAll, async () => {
  await using rig = await ChatRig.start()
  const source = "(async function* () { yield 'one '; yield 'two' })()"
  await rig.startBot({
    'commands/board.ts': `export default (ctx) => ctx.reply({ content: 'board', components: [{ type: 'row', components: [
      { type: 'button', style: 'primary', label: 'Go', custom_id: 'go' }] }] })`,
    'buttons/go.ts': `export default async (ctx) => {
      const { messages } = await ctx.stream(${source}, { update: true })
      await ctx.stream((async function* () { yield 'same: ' + (messages[0].id === ctx.event.message_id) })())
    }`,
  })
  await rig.says('ann', '/board')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('same: true'))
  expect(await rig.texts()).toEqual(['/board', 'one two', 'same: true'])
})

test('after refused edits the bot edits less often, and the text is exact', inAll, async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  await rig.startBot({ 'commands/answer.ts': answerInParts(rig, 6) }, { clock })
  const refusal = { status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow down' } }
  await rig.fault('PATCH', '/v1/channels/*', { then: refusal, times: 2 })
  await rig.says('ann', '/answer')
  await rig.until(async () => (await rig.texts()).some((text) => text.endsWith(' ▍')))
  for (let part = 1; part < 6; part++) goOn(rig, part)
  const refused = async () => (await edits(rig)).filter(({ status }) => status === 429).length
  await rig.until(async () => (clock.advance(PACE_MS), (await refused()) > 0))
  const whole = words(300)
  await rig.until(async () => (await rig.texts()).includes(`complete ${whole.length} 2`))
  const parts = (await rig.texts()).filter((text) => text.startsWith('word'))
  expect(parts.map((part) => part.trimEnd()).join(' ')).toBe(whole.trimEnd())
  const all = await edits(rig)
  expect(all.filter(({ status }) => status === 429)).toHaveLength(2)
  expect(all.length).toBeLessThan(8)
})

test('a process that ends in the middle leaves the text with its mark, and its user is notified', inAll, async () => {
  await using rig = await ChatRig.start()
  const files = { 'commands/answer.ts': answer() }
  const options = { stateDir: join(rig.root, 'state') }
  const bot = await rig.startBot(files, options)
  await rig.says('ann', '/answer Infinity')
  await rig.until(async () => (await rig.texts()).some((text) => text.endsWith(' ▍')))
  await bot.stop({ graceMs: 0 })
  await rig.startBot(files, options)
  await rig.until(async () => (await rig.texts()).some((text) => text.includes('Please start again: /answer')))
  expect((await rig.texts()).filter((text) => /^word0 (?:word\d+ )* ▍$/.test(text))).toHaveLength(1)
})

test('a user whose text a restart has ended is notified', inAll, async () => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state') }
  const bot = await rig.startBot({ 'commands/answer.ts': answer() }, options)
  await rig.says('ann', '/answer Infinity')
  await rig.until(async () => (await rig.texts()).some((text) => text.endsWith(' ▍')))
  await bot.stop()
  await rig.startBot({ 'commands/answer.ts': answer() }, options)
  const notice = / I restarted while writing\. Please start again: \/answer$/
  await rig.until(async () => (await rig.texts()).some((text) => notice.test(text)))
  expect((await rig.texts()).some((text) => text.includes('waiting for your answer'))).toBe(false)
})
