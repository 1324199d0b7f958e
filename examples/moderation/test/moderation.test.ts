import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = {
  people: ['ann', 'mia', 'bob'].map((username) => ({ username })),
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['mia', 'bob'],
      roles: [
        { name: 'mods', members: ['mia'] },
        { name: 'guard', permissions: ['timeout_members' as const], members: ['bot'] },
      ],
      channels: [{ name: 'general' }, { name: 'mod-log', private: true, roles: ['mods', 'guard'] }],
    },
  ],
}
const start = () => startTestBot(new URL('..', import.meta.url), { world })

test('times out a member and logs it', async () => {
  await using chat = await start()
  const mia = chat.person('mia')
  const bob = chat.person('bob')
  const answer = await mia.says('/timeout bob 10m too many jokes')
  expect(answer).toHaveReplied(/ is timed out for 10 min\.$/)
  expect(answer).toHaveEmbed({ title: 'Timeout of 10 min' })
  await expect(bob.says('hello?')).rejects.toThrow(/403/)
  await chat.clock.advance({ minutes: 10 })
  await bob.says('hello again')
  const [entry] = await mia.in('mod-log').sees()
  expect(entry?.embeds[0]?.fields?.at(-1)).toMatchObject({ name: 'Reason', value: 'too many jokes' })
})

test('ends a timeout early', async () => {
  await using chat = await start()
  await chat.person('mia').says('/timeout bob 1h')
  expect((await chat.member('bob'))?.timeout_until).not.toBeNull()
  expect(await chat.person('mia').says('/untimeout bob')).toHaveReplied(/can post again/)
  expect((await chat.member('bob'))?.timeout_until).toBeNull()
})

test('times out on the third warning; warnings survive a restart and expire after a month', async () => {
  await using chat = await start()
  const mia = chat.person('mia')
  expect(await mia.says('/warn bob shouting')).toHaveReplied(/warning 1 of 3: shouting$/)
  await chat.clock.advance({ days: 31 })
  expect(await mia.says('/warn bob spam')).toHaveReplied(/warning 1 of 3/)
  await chat.restartBot()
  expect(await mia.says('/warn bob more spam')).toHaveReplied(/warning 2 of 3/)
  expect(await mia.says('/warnings bob')).toHaveReplied(/1\. spam\n2\. more spam$/)
  expect(await mia.says('/warn bob again')).toHaveReplied(/timed out for one hour/)
  expect((await chat.member('bob'))?.timeout_until).not.toBeNull()
  expect(await mia.says('/warnings bob')).toHaveReplied(/no warnings/)
})

test('rejects people who are not moderators', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('/timeout mia 10m')).toHaveReplied('Only people with the role mods can use this.')
  expect(await bob.dm().says('/warnings bob')).toHaveReplied('This works in servers only.')
})

test('explains why the owner of the server cannot be timed out', async () => {
  await using chat = await start()
  expect(await chat.person('mia').says('/timeout ann 10m')).toHaveReplied(/^I may not do that/)
})
