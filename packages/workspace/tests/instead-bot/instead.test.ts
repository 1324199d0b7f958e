import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = {
  people: [{ username: 'ann' }, { username: 'bob' }],
  servers: [{ name: 'Workshop', owner: 'ann', members: ['bob'], channels: [{ name: 'general' }, { name: 'staff' }] }],
}
const start = () => startTestBot(new URL('.', import.meta.url), { world })

test('a command acts on the message that it replies to', async () => {
  await using chat = await start()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  const spam = await ann.posts('Buy **now**')
  await bob.replies(spam, '/report advertising')
  expect((await ann.in('staff').sees()).at(-1)?.content).toMatch(
    / reported "Buy \\\*\\\*now\\\*\\\*" in <#.*>: advertising$/,
  )
  expect((await bob.dm().sees()).at(-1)?.content).toBe('Thank you, the staff will look at it.')
  expect(await bob.says('/report')).toHaveReplied(/^Reply to the message/)
})

test('a form asks in direct messages, and checks each answer', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/apply')
  expect((await ann.dm().sees()).at(-1)?.content).toBe('What is your name?')
  await ann.dm().says('Ann Smith')
  expect(await ann.dm().says('twelve')).toHaveReplied(/must be a whole number from 13 to 120/)
  await ann.dm().says('33')
  await ann.dm().says('write')
  const [embed] = (await ann.sees()).at(-1)?.embeds ?? []
  expect(embed?.fields?.map(({ value }) => value)).toEqual(['Ann Smith', '33', 'write'])
})
