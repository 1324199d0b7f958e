import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

/** The messages that a command of the bot gets with these options; the bot writes one before it asks for them. */
async function conversation(options: string, before: (rig: ChatRig) => Promise<void> = async () => {}) {
  await using rig = await ChatRig.start(['ann', 'bob'])
  await rig.startBot({
    'commands/read.ts': `import { command, messagesForModel } from ${framework}
export default command({ run: async (ctx) => {
  await ctx.send(ctx.channel_id, 'Let me see.')
  return JSON.stringify(await messagesForModel(ctx, ${options}).catch((error) => error.message))
} })`,
    'commands/show.ts': `import { command } from ${framework}
export default command({ run: () => ({ content: 'Look:', embeds: [{ title: 'Scores', fields: [{ name: 'ann', value: '3' }] }] }) })`,
  })
  await before(rig)
  await rig.says('ann', '/read')
  await rig.until(async () => /^["[]/.test((await rig.texts()).at(-1)!))
  return JSON.parse((await rig.texts()).at(-1)!) as unknown
}

const bySaying = async (rig: ChatRig) => {
  const channel_id = rig.channel('general')
  const bot = rig.service.world.bots['helper']!.id
  const first = await rig.person('bob').messages.create({ channel_id, content: 'tea or coffee?' })
  await rig.person('ann').messages.create({ channel_id, content: `tea, <@${bot}>`, reply_to: first.id })
  await rig.says('bob', '/show')
  await rig.until(async () => (await rig.texts()).at(-1) === 'Look:')
}

test('a model gets the roles, names, replies, mentions and embeds of the conversation, up to the message that the handler answers', async () => {
  expect(await conversation('{}', bySaying)).toEqual([
    { role: 'user', name: 'bob', content: 'bob: tea or coffee?' },
    { role: 'user', name: 'ann', content: 'ann, to bob: tea, @helper' },
    { role: 'user', name: 'bob', content: 'bob: /show' },
    { role: 'assistant', name: 'helper', content: 'Look:\nScores\nann: 3' },
    { role: 'user', name: 'ann', content: 'ann: /read' },
  ])
})

test.each([
  ['{ last: 2 }', ['Look:\nScores\nann: 3', 'ann: /read']],
  // 10 characters of the last message, 19 of the one before.
  ['{ characters: 29 }', ['Look:\nScores\nann: 3', 'ann: /read']],
  ['{ characters: 28 }', ['ann: /read']],
  ['{ characters: 5 }', ['ann: ']],
])('%s keeps the newest messages, and the last one in any case', slow, async (options, contents) => {
  const messages = (await conversation(options, bySaying)) as { content: string }[]
  expect(messages.map(({ content }) => content)).toEqual(contents)
})

test.each([
  ['{ last: 0 }', 'last must be a whole number from 1 to 100'],
  ['{ last: 101 }', 'last must be a whole number from 1 to 100'],
  ['{ characters: 0.5 }', 'characters must be a whole number greater than 0'],
])('%s is refused with the range', slow, async (options, fact) => {
  expect(await conversation(options)).toBe(`commands/read.ts: messagesForModel ${fact}`)
})
