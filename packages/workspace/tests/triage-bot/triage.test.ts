import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of packages/framework/docs/events.md, "Split an event into several files".

const people = ['ann', 'bob', 'dan'].map((username) => ({ username }))
const roles = [{ name: 'Staff', members: ['dan'] }]
const channels = [{ name: 'general' }, { name: 'support' }]
const servers = [{ name: 'Workshop', owner: 'ann', members: ['bob', 'dan'], roles, channels }]
const start = () => startTestBot(new URL('.', import.meta.url), { world: { people, servers } })

test('all files that match run, in the order of their names', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('see BUG-12')).toHaveReplied('https://bugs.example/12')
  const both = await bob.says(`<@${chat.bot.id}> see BUG-12`)
  expect(both.replies.map(({ content }) => content)).toEqual(['https://bugs.example/12', 'Hello bob!'])
  expect(await bob.says('level high')).toHaveReplied('The level is high.')
  expect(await bob.says('nothing for you')).not.toHaveReplied()
})

test('conditions can be combined', async () => {
  await using chat = await start()
  expect(await chat.person('bob').in('support').says('Is it down?')).toHaveReacted('🎫')
  expect(await chat.person('dan').in('support').says('Is it down?')).not.toHaveReacted()
  expect(await chat.person('bob').in('support').says('It is down')).not.toHaveReacted()
  expect(await chat.person('bob').says('Is it down?')).not.toHaveReacted()
})

test('a file with otherwise runs only if no other file does', async () => {
  await using chat = await start()
  const bob = chat.person('bob').dm()
  expect(await bob.says('Help')).toHaveReplied('Ask me about a bug, such as BUG-12.')
  expect((await bob.says('BUG-1')).replies.map(({ content }) => content)).toEqual(['https://bugs.example/1'])
})

test('a file of reactions runs for its emoji', async () => {
  await using chat = await start()
  const message = await chat.person('ann').says('level low')
  expect(await chat.person('bob').reacts('⭐', message)).toHaveReplied('bob likes it')
  expect(await chat.person('dan').reacts('👍', message)).not.toHaveReplied()
})
