import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = new URL('../../../dist/index.js', import.meta.url).href

test('an eleventh answer to a click is rejected without a request, and answersLeft counts down', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot({
    'commands/vote.ts': `import many from '../buttons/many.mjs'
      import { row } from '${framework}'
      export default () => ({ content: 'Vote', components: [row(many.button({ label: 'Yes' }))] })`,
    'buttons/many.ts': `import { button } from '${framework}'
      export default button({ run: async (ctx) => {
        const left = []
        for (let i = 0; i < 10; i++) { left.push(ctx.answersLeft); await ctx.ack() }
        const code = await ctx.ack().catch((error) => error.code)
        await ctx.send(ctx.channel_id, [...left, ctx.answersLeft, code].join(' '))
      } })`,
  })
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('10 9 8 7 6 5 4 3 2 1 0 ERR_ANSWERS_USED_UP'))
  expect(await rig.callbacks()).toHaveLength(10)
})

const board = (rig: ChatRig, vote: string) =>
  rig.startBot({
    'commands/vote.ts': `import vote from '../buttons/vote.mjs'
      import { row } from '${framework}'
      export default () => ({ content: 'Vote', components: [row(vote.button({ label: 'Yes' }))] })`,
    'buttons/vote.ts': `import { button } from '${framework}'
      export default button({ run: async (ctx) => { ${vote} } })`,
  })

/** Code of a handler that waits for a file of the test. */
const until = (rig: ChatRig, file: string) => `{
  const { existsSync } = process.getBuiltinModule('node:fs')
  while (!existsSync('${join(rig.root, file)}')) await new Promise((resolve) => setTimeout(resolve, 5))
}`

test('an answer that the service refuses is not one of the ten', slow, async () => {
  await using rig = await ChatRig.start()
  // Acknowledged by the handler, so that the framework never acknowledges it, however long the replies take.
  const bot = await board(
    rig,
    `await ctx.ack()
     ${until(rig, 'refuse')}
     let refused = 0
     for (let i = 0; i < 11; i++) await ctx.reply('vote ' + i).catch(() => refused++)
     await ctx.ephemeral('thanks')
     await ctx.send(ctx.channel_id, refused + ' refused, ' + ctx.answersLeft + ' left')`,
  )
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => (await rig.callbacks()).length === 1)
  await rig.fault('POST', '/v1/interactions/*', { then: { status: 403, body: { error: 'timed out' } }, times: 11 })
  writeFileSync(join(rig.root, 'refuse'), '')
  await rig.until(async () => (await rig.texts()).length === 3)
  expect((await rig.texts()).at(-1)).toBe('11 refused, 8 left')
  expect(bot.stats().acks).toBe(0)
})

test('the ack of the framework is one of the ten', slow, async () => {
  await using rig = await ChatRig.start()
  const bot = await board(
    rig,
    `const before = ctx.answersLeft
     ${until(rig, 'go-on')}
     await ctx.reply('late')
     await ctx.send(ctx.channel_id, [before, ctx.answersLeft].join())`,
  )
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(() => bot.stats().acks === 1)
  await rig.until(async () => (await rig.callbacks()).length === 1)
  writeFileSync(join(rig.root, 'go-on'), '')
  await rig.until(async () => (await rig.texts()).length === 4)
  expect((await rig.texts()).at(-1)).toBe('10,8')
})

test('the answers of a run whose thread has died count in the next run', slow, async () => {
  await using rig = await ChatRig.start()
  await board(
    rig,
    `if (!ctx.redelivered) {
       for (let i = 0; i < 3; i++) await ctx.ack()
       process.exit()
     }
     await ctx.send(ctx.channel_id, ctx.answersLeft + ' left')`,
  )
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).some((text) => text.endsWith(' left')))
  expect((await rig.texts()).at(-1)).toBe('7 left')
})

test('the user is notified of a failed update if the clicked message was deleted meanwhile', slow, async () => {
  await using rig = await ChatRig.start()
  await board(
    rig,
    "await ctx.delete({ channel_id: ctx.channel_id, id: ctx.event.message_id }); await ctx.update('new')",
  )
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => (await rig.callbacks()).includes('ephemeral'))
  expect(await rig.callbacks()).toEqual(['update', 'ephemeral'])
  expect(rig.logged('error')).toEqual([expect.stringContaining('the service answered 404: message not found')])
})

test(
  'a conversation goes on in messages after the ninth answer, if the click was acknowledged for the handler',
  { tags: ['all/real-time'] },
  async () => {
    await using rig = await ChatRig.start()
    await board(
      rig,
      `await new Promise((resolve) => setTimeout(resolve, 2500))
     for (let i = 1; i <= 10; i++) await ctx.ask('Question ' + i)
     throw new Error('it broke')`,
    )
    await rig.says('ann', '/vote')
    await rig.clicks()
    for (let i = 1; i <= 10; i++) {
      await rig.until(async () => (await rig.texts()).at(-1) === `Question ${i}`)
      await rig.says('ann', `answer ${i}`)
    }
    await rig.until(async () => (await rig.texts()).at(-1)!.includes('went wrong'))
    expect(await rig.callbacks()).toEqual(['ack', ...Array.from({ length: 9 }, () => 'reply')])
    expect(rig.logged('warn')).toEqual([])
  },
)

test('a conversation goes on in messages although its click was answered before a restart', slow, async () => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/vote.ts': `import vote from '../buttons/vote.mjs'
      import { row } from '${framework}'
      export default () => ({ content: 'Vote', components: [row(vote.button({ label: 'Yes' }))] })`,
    'buttons/vote.ts': `import { button } from '${framework}'
      export default button({ durable: true, run: async (ctx) => {
        for (let i = 1; i <= 3; i++) await ctx.ask('Question ' + i)
        await ctx.reply('Done')
      } })`,
  }
  const first = await rig.startBot(files)
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).at(-1) === 'Question 1')
  // As far as the service is concerned, acks of the framework or of a lost request have used up the others.
  const used = { then: { status: 429, body: { error: 'the interaction already has 10 answers' } }, times: 100 }
  await first.stop()
  await rig.fault('POST', '/v1/interactions/*', used)
  await rig.startBot(files)
  for (let i = 1; i <= 3; i++) {
    await rig.until(async () => (await rig.texts()).at(-1) === `Question ${i}`)
    await rig.says('ann', `answer ${i}`)
  }
  await rig.until(async () => (await rig.texts()).at(-1) === 'Done')
})
