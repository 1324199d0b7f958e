import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

const signup = `
  import { integer } from ${framework}
  export default async (ctx) => {
    const name = await ctx.ask('What is your name?', { timeout: '1m' })
    const age = await ctx.ask('How old are you?', { as: integer({ min: 1, max: 120 }) })
    await ctx.reply(name + ' is ' + age)
  }`
const ping = "export default () => 'pong'"
const files = {
  'commands/signup.ts': signup,
  'commands/ping.ts': ping,
  'events/message.ts': "export default () => 'heard'",
}

async function last(rig: ChatRig, text: string, channel = 'general'): Promise<void> {
  await rig.until(async () => (await rig.texts(channel)).at(-1) === text)
}

test.each(['inline', 'worker'] as const)(
  'a handler asks and receives the answers of that user only, while its channel continues (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start(['ann', 'bob'])
    await rig.startBot(files, { dispatcher })
    await rig.says('ann', '/signup')
    await last(rig, 'What is your name?')
    // Messages of others are handled meanwhile, and so are her commands.
    await rig.says('bob', 'hello')
    await last(rig, 'heard')
    await rig.says('ann', '/ping')
    await last(rig, 'pong')
    await rig.says('ann', 'Ann Other')
    await last(rig, 'How old are you?')
    await rig.says('ann', 'old')
    await last(rig, 'The answer must be a whole number from 1 to 120. For example: 5. Try again, or type "cancel".')
    await rig.says('ann', '42')
    await last(rig, 'Ann Other is 42')
    await rig.says('ann', 'bye')
    await last(rig, 'heard')
    expect(rig.logged('error')).toEqual([])
  },
)

test('two quick answers answer two questions', inAll, async () => {
  await using rig = await ChatRig.start()
  await rig.startBot(files)
  await rig.says('ann', '/signup')
  await last(rig, 'What is your name?')
  await rig.says('ann', 'Ann')
  await last(rig, 'How old are you?')
  await Promise.all([rig.says('ann', '42'), rig.says('ann', '43')])
  await rig.until(async () => (await rig.texts()).includes('heard'))
  await rig.until(async () => (await rig.texts()).some((text) => /^Ann is 4[23]$/.test(text)))
})

test(
  '"cancel" and too many invalid answers end the handler and notify the user without an error in the log',
  inAll,
  async () => {
    await using rig = await ChatRig.start()
    await rig.startBot(files)
    await rig.says('ann', '/signup')
    await last(rig, 'What is your name?')
    await rig.says('ann', 'Cancel')
    await last(rig, 'Cancelled.')
    await rig.says('ann', '/signup')
    await last(rig, 'What is your name?')
    await rig.says('ann', 'Ann')
    await last(rig, 'How old are you?')
    for (let i = 1; i <= 3; i++) {
      await rig.says('ann', 'no')
      await rig.until(async () => (await rig.texts()).filter((text) => text.startsWith('The answer')).length === i)
    }
    await last(rig, 'The answer must be a whole number from 1 to 120. To start again: /signup')
    expect(rig.logged('error')).toEqual([])
  },
)

test('suggests the closest word for a misspelled answer and asks again', inAll, async () => {
  await using rig = await ChatRig.start()
  const code = `import { oneOf } from ${framework}
    export default async (ctx) => 'got ' + (await ctx.ask('Which?', { as: oneOf('small', 'large') }))`
  await rig.startBot({ 'commands/size.ts': code })
  await rig.says('ann', '/size')
  await last(rig, 'Which?')
  await rig.says('ann', 'smal')
  await last(
    rig,
    'The answer must be small or large; did you mean small? For example: small. Try again, or type "cancel".',
  )
  await rig.says('ann', 'small')
  await last(rig, 'got small')
})

test('reads an answer of several words as a whole', inAll, async () => {
  await using rig = await ChatRig.start()
  const code = `import { date, duration, list, text } from ${framework}
    export default async (ctx) => {
      const day = await ctx.ask('When?', { as: date({ zone: 'Europe/Berlin' }) })
      const ms = await ctx.ask('How long?', { as: duration() })
      const words = await ctx.ask('With whom?', { as: list(text()) })
      return day.toISOString() + ' ' + ms + ' ' + words.join('+')
    }`
  await rig.startBot({ 'commands/meet.ts': code })
  await rig.says('ann', '/meet')
  await last(rig, 'When?')
  await rig.says('ann', '2026-03-01 18:30')
  await last(rig, 'How long?')
  await rig.says('ann', '2 h 30 min')
  await last(rig, 'With whom?')
  await rig.says('ann', 'bob "carol and dan"')
  await last(rig, '2026-03-01T17:30:00.000Z 9000000 bob+carol and dan')
})

test('the same question can be asked twice in a row, as a reply to the previous answer', inAll, async () => {
  await using rig = await ChatRig.start()
  const higher = "export default async (ctx) => { while ((await ctx.ask('Higher!')) !== '3'); return 'Yes' }"
  await rig.startBot({ 'commands/guess.ts': higher })
  await rig.says('ann', '/guess')
  for (const [i, number] of ['1', '2', '3'].entries()) {
    await rig.until(async () => (await rig.texts()).filter((text) => text === 'Higher!').length === i + 1)
    await rig.says('ann', number)
  }
  await last(rig, 'Yes')
  expect(rig.logged('error')).toEqual([])
})

test('an unanswered question times out, and a newer question replaces an older one', inAll, async () => {
  await using rig = await ChatRig.start()
  const code = (text: string) => `export default async (ctx) => {
    try {
      await ctx.reply('got ' + await ctx.ask('${text}', { timeout: '${text === 'quick' ? '300ms' : '1m'}' }))
    } catch (error) {
      await ctx.reply(error.code + ': ' + error.message)
    }
  }`
  await rig.startBot({ 'commands/quick.ts': code('quick'), 'commands/slow.ts': code('slow') })
  await rig.says('ann', '/quick')
  await last(rig, 'ERR_NO_REPLY: No answer came within 300 ms. To start again: /quick')
  await rig.says('ann', '/slow')
  await last(rig, 'slow')
  await rig.says('ann', '/slow')
  await rig.until(async () =>
    (await rig.texts()).includes('ERR_REPLACED: a newer question to the same person replaced this one'),
  )
  await rig.says('ann', 'yes')
  await last(rig, 'got yes')
})

test(
  'new code loads while a handler waits; the answer still reaches the handler, and the old thread ends with it',
  inAll,
  async () => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(files)
    await rig.says('ann', '/signup')
    await last(rig, 'What is your name?')
    await bot.replace(rig.source({ ...files, 'commands/ping.ts': "export default () => 'new pong'" }))
    await rig.says('ann', '/ping')
    await last(rig, 'new pong')
    await rig.says('ann', 'Ann')
    await last(rig, 'How old are you?')
    await rig.says('ann', '42')
    await last(rig, 'Ann is 42')
  },
)

test.each(['a restart', 'the exit of the thread'])('notifies a waiting user once after %s', inAll, async (what) => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state') }
  const all = { ...files, 'commands/die.ts': 'export default () => process.exit(3)' }
  const bot = await rig.startBot(all, options)
  await rig.says('ann', '/signup')
  await last(rig, 'What is your name?')
  if (what === 'a restart') {
    await bot.stop()
    await rig.startBot(all, options)
  } else await rig.says('ann', '/die')
  const notice = / I restarted while waiting for your answer\. Please start again: \/signup$/
  await rig.until(async () => (await rig.texts()).some((text) => notice.test(text)))
  // The next message of the user is handled as usual.
  await rig.says('ann', 'Ann')
  await rig.until(async () => (await rig.texts()).includes('heard'))
  expect((await rig.texts()).filter((text) => notice.test(text))).toHaveLength(1)
})

async function clicks(rig: ChatRig, who: string, label: string): Promise<void> {
  const channel_id = rig.channel('general')
  const { messages } = await rig.person(who).messages.list({ channel_id, limit: 50 })
  for (const { id, components } of messages.toReversed()) {
    const found = components.flatMap((row) => row.components).find((button) => button.label === label)
    if (!found) continue
    await rig.person(who).clicks.create({ channel_id, message_id: id, custom_id: found.custom_id! })
    return
  }
  throw new Error(`there is no button ${label}`)
}

test.each(['inline', 'worker'] as const)(
  'ctx.choose accepts a click of its user only (%s)',
  inAll,
  async (dispatcher) => {
    await using rig = await ChatRig.start(['ann', 'bob'])
    const code = `
    import { choice, row } from ${framework}
    export default async (ctx) => {
      const size = await ctx.choose('Which size?', ['small', 'large'])
      const message = await ctx.reply({ content: 'Sure?', components: [row(choice('y', { label: 'Yes' }), choice('n', { label: 'No' }))] })
      const click = await ctx.clicked(message, { by: 'anyone' })
      await click.update({ content: size + ' ' + click.params + ' ' + click.user.name, components: null })
    }`
    await rig.startBot({ 'commands/order.ts': code }, { dispatcher })
    await rig.says('ann', '/order')
    await last(rig, 'Which size?')
    await clicks(rig, 'bob', 'small')
    await clicks(rig, 'ann', 'large')
    await rig.until(async () => (await rig.texts()).includes('Which size?\n**large**'))
    await last(rig, 'Sure?')
    await clicks(rig, 'bob', 'Yes')
    await last(rig, 'large y bob')
    expect(rig.logged('error')).toEqual([])
  },
)

test('removes the buttons of a choice that timed out; other unused buttons do not fail', inAll, async () => {
  await using rig = await ChatRig.start()
  const code = `
    import { choice, row } from ${framework}
    export default async (ctx) => {
      await ctx.send(ctx.channel_id, { content: 'Stale', components: [row(choice('y', { label: 'Old' }))] })
      await ctx.choose('Which?', ['a', 'b'], { timeout: '200ms' })
    }`
  await rig.startBot({ 'commands/order.ts': code })
  await rig.says('ann', '/order')
  await last(rig, 'No answer came within 200 ms. To start again: /order')
  await expect(clicks(rig, 'ann', 'a')).rejects.toThrow('there is no button a')
  await clicks(rig, 'ann', 'Old')
  expect(rig.logged('error')).toEqual([])
})

test('asks by direct message', async () => {
  await using rig = await ChatRig.start()
  const code = "export default async (ctx) => ctx.reply('Thanks for ' + (await ctx.ask('Psst?', { in: 'dm' })))"
  await rig.startBot({ 'commands/psst.ts': code })
  await rig.says('ann', '/psst')
  await rig.until(async () => (await direct(rig)).texts.includes('Psst?'))
  await rig.person('ann').messages.create({ channel_id: (await direct(rig)).channel_id!, content: 'tea' })
  await last(rig, 'Thanks for tea')
})

/** Ann's direct messages with the bot. */
async function direct(rig: ChatRig): Promise<{ channel_id: string | undefined; texts: string[] }> {
  const { dms } = await rig.person('ann').me.get()
  const channel_id = dms[0]?.channel_id
  if (channel_id === undefined) return { channel_id, texts: [] }
  const { messages } = await rig.person('ann').messages.list({ channel_id })
  return { channel_id, texts: messages.map(({ content }) => content) }
}

test('ctx.choose returns the choice even if its question is as long as a message can be', inAll, async () => {
  await using rig = await ChatRig.start()
  const question = 'x'.repeat(2000)
  const code = `export default async (ctx) => 'chose ' + (await ctx.choose('${question}', ['small', 'large']))`
  await rig.startBot({ 'commands/order.ts': code })
  await rig.says('ann', '/order')
  await last(rig, question)
  await clicks(rig, 'ann', 'large')
  await last(rig, 'chose large')
  expect(await rig.texts()).toContain(`${'x'.repeat(1990)}\n**large**`)
})
