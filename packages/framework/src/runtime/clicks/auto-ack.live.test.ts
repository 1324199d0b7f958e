import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const wait = (ms: number) => `await new Promise((resolve) => setTimeout(resolve, ${ms}))`

/** Posts a message with buttons as the bot; returns a function that clicks one of them. */
async function board(rig: ChatRig, bot: Awaited<ReturnType<ChatRig['startBot']>>, ids: string[]) {
  const channel_id = rig.channel('general')
  const buttons = ids.map((custom_id) => ({
    type: 'button' as const,
    style: 'primary' as const,
    label: custom_id,
    custom_id,
  }))
  const { id } = await bot.call('messages.create', {
    channel_id,
    content: `choose ${ids.join()}`,
    components: [{ type: 'row', components: buttons }],
  })
  return async (name: string, custom_id: string) => {
    const { interaction_id } = await rig.person(name).clicks.create({ channel_id, message_id: id, custom_id })
    return () => rig.person(name).clicks.get({ interaction_id })
  }
}

test('acknowledges a click after two seconds if its handler is slow, and still delivers the reply', async () => {
  await using rig = await ChatRig.start()
  const handler = `export default async (ctx) => { if (ctx.event.custom_id === 'slow') { ${wait(3500)} } await ctx.reply('voted') }`
  const bot = await rig.startBot({ 'events/interaction.ts': handler })
  const click = await board(rig, bot, ['slow', 'quick'])
  const slow = await click('ann', 'slow')
  await rig.until(async () => (await slow()).answers.length === 2)
  expect((await slow()).answers.map((answer) => answer.type)).toEqual(['ack', 'reply'])
  const quick = await click('ann', 'quick')
  await rig.until(async () => (await quick()).answers.length === 1)
  expect((await quick()).state).toBe('answered')
  expect(bot.stats().acks).toBe(1)
})

test('acknowledges all clicks, queued ones too, while a handler blocks its thread', async () => {
  await using rig = await ChatRig.start(['ann', 'bob', 'carol'])
  const handler = `export default async (ctx) => {
    if (ctx.event.custom_id === 'block') for (const end = Date.now() + 5000; Date.now() < end; );
    await ctx.reply('done')
  }`
  const bot = await rig.startBot({ 'events/interaction.ts': handler })
  const click = await board(rig, bot, ['block', 'other'])
  const states = [await click('ann', 'block'), await click('bob', 'other'), await click('carol', 'other')]
  await rig.until(async () =>
    (await Promise.all(states.map((state) => state()))).every(({ answers }) => answers.length === 2),
  )
  for (const state of states) {
    const { state: end, answers } = await state()
    expect([end, answers.map((answer) => answer.type)]).toEqual(['answered', ['ack', 'reply']])
  }
})
