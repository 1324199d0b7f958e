import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

// Questions of independent handlers to one user, from several threads and for events without a channel.

const asks = (question: string) => `export default async (ctx) => {
  try {
    await ctx.send(ctx.channel_id, 'got ' + await ctx.ask('${question} ' + ctx.channel_id, { timeout: '1m', in: 'dm' }))
  } catch (error) {
    await ctx.send(ctx.channel_id, error.code + ': ' + error.message)
  }
}`
const signup = { 'commands/signup.ts': asks('Name?') }

test('a newer question replaces an older one in another thread', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot(signup, { config: { limits: { workers: 2 } } })
  // The queues of these channels are spread over both threads.
  const channels = ['general', 'random', 'c0', 'c1', 'c2', 'c3']
  for (const [i, channel] of channels.entries()) {
    await rig.says('ann', '/signup', channel)
    await rig.until(async () => (await direct(rig)).texts.length === i + 1)
  }
  for (const channel of channels.slice(0, -1))
    await rig.until(async () =>
      (await rig.texts(channel)).includes('ERR_REPLACED: a newer question to the same person replaced this one'),
    )
  await rig.person('ann').messages.create({ channel_id: (await direct(rig)).channel_id!, content: 'Ann' })
  await rig.until(async () => (await rig.texts('c3')).includes('got Ann'))
})

test('a question of newer code replaces one of older code', slow, async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(signup)
  await rig.says('ann', '/signup')
  await rig.until(async () => (await direct(rig)).texts.length === 1)
  await bot.replace(rig.source({ 'commands/signup.ts': asks('Your name?') }))
  await rig.says('ann', '/signup')
  await rig.until(async () =>
    (await rig.texts()).includes('ERR_REPLACED: a newer question to the same person replaced this one'),
  )
  await rig.person('ann').messages.create({ channel_id: (await direct(rig)).channel_id!, content: 'Ann' })
  await rig.until(async () => (await rig.texts()).includes('got Ann'))
})

test.each([false, true])(
  'a question that is asked again at once has the answer (durable: %s)',
  slow,
  async (durable) => {
    await using rig = await ChatRig.start()
    const code = `import { command } from ${framework}
    export default command({ ${durable ? 'durable: true,' : ''}
      run: async (ctx) => 'got ' + await ctx.ask('Name?', { in: 'dm' }) })`
    const bot = await rig.startBot({ 'commands/signup.ts': code })
    await rig.says('ann', '/signup')
    await rig.until(async () => (await direct(rig)).texts.length === 1)
    await rig.says('ann', '/signup')
    await rig.until(async () => (await rig.calls('POST', /messages$/)).some(({ status }) => status === 429))
    await rig.until(() => bot.stats().running === 0)
    await rig.person('ann').messages.create({ channel_id: (await direct(rig)).channel_id!, content: 'Ann' })
    await rig.until(async () => (await rig.texts()).includes('got Ann'))
    expect(rig.logged('error')).toEqual([])
  },
)

test.each([
  ['a question', "await ctx.ask('Hello! What do you paint?', { in: 'dm' })"],
  [
    'a button',
    "await ctx.clicked(await ctx.dm(ctx.user.id, { content: 'Hello!', components: [row(choice('go', { label: 'Go' }))] }))",
  ],
])('notifies a user who got %s by DM about an event without a channel there after a restart', slow, async (_, asks) => {
  await using rig = await ChatRig.start(['ann', 'bob'])
  const welcome = `import { choice, row } from ${framework}
    export default async (ctx) => { ${asks} }`
  const options = { stateDir: join(rig.root, 'state') }
  const files = { 'events/member_join.ts': welcome }
  const bot = await rig.startBot(files, options)
  const server = rig.service.world.servers['Workshop']!.id
  await rig.person('bob').servers.leave({ server_id: server })
  await rig.person('bob').servers.join({ server_id: server })
  await rig.until(async () => (await direct(rig, 'bob')).texts.length === 1)
  await bot.stop()
  await rig.startBot(files, options)
  await rig.until(async () => (await direct(rig, 'bob')).texts.length === 2)
  expect((await direct(rig, 'bob')).texts[1]).toMatch(/ I restarted while waiting for your answer\.$/)
  expect(rig.logged('warn')).toEqual([])
})

test.each([
  ['says "cancel"', ['cancel'], 'Cancelled.'],
  ['does not answer as asked', ['x', 'y', 'z'], 'The answer must be a whole number.'],
])('notifies a user who was asked by DM and %s there', slow, async (_what, answers, text) => {
  await using rig = await ChatRig.start(['ann', 'bob'])
  const code = `import { integer } from ${framework}
    export default async (ctx) => void (await ctx.ask('Your year of birth?', { in: 'dm', as: integer() }))`
  await rig.startBot({ 'commands/born.ts': code, 'events/member_join.ts': code })
  const server = rig.service.world.servers['Workshop']!.id
  await rig.person('bob').servers.leave({ server_id: server })
  await rig.person('bob').servers.join({ server_id: server })
  await rig.says('ann', '/born')
  for (const [who, again] of [
    ['bob', ''],
    ['ann', text === 'Cancelled.' ? '' : ' To start again: /born'],
  ] as const) {
    let count = 1
    for (const content of answers) {
      await rig.until(async () => (await direct(rig, who)).texts.length === count)
      await rig.person(who).messages.create({ channel_id: (await direct(rig, who)).channel_id!, content })
      count += 2
    }
    await rig.until(async () => (await direct(rig, who)).texts.length === count)
    expect((await direct(rig, who)).texts.at(-1)).toBe(text + again)
  }
  expect(await rig.texts()).toEqual(['/born'])
  expect(rig.logged('error')).toEqual([])
})

/** A user's direct messages with the bot. */
async function direct(rig: ChatRig, who = 'ann'): Promise<{ channel_id: string | undefined; texts: string[] }> {
  const { dms } = await rig.person(who).me.get()
  const channel_id = dms[0]?.channel_id
  if (channel_id === undefined) return { channel_id, texts: [] }
  const { messages } = await rig.person(who).messages.list({ channel_id })
  return { channel_id, texts: messages.map(({ content }) => content) }
}
