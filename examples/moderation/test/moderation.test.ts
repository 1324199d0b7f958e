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

test('a moderator silences a member for a while, and it is logged', async () => {
  await using chat = await start()
  const mia = chat.person('mia')
  const bob = chat.person('bob')
  const silenced = await mia.says('/timeout bob 10m too many jokes')
  expect(silenced).toHaveReplied(/ is silent for 10 min\.$/)
  expect(silenced).toHaveEmbed({ title: 'Timeout of 10 min' })
  await expect(bob.says('hello?')).rejects.toThrow(/403/)
  await chat.clock.advance({ minutes: 10 })
  await bob.says('hello again')
  const [entry] = await mia.in('mod-log').sees()
  expect(entry?.embeds[0]?.fields?.at(-1)).toMatchObject({ name: 'Reason', value: 'too many jokes' })
})

test('a timeout can be ended early', async () => {
  await using chat = await start()
  await chat.person('mia').says('/timeout bob 1h')
  expect((await chat.member('bob'))?.timeout_until).not.toBeNull()
  expect(await chat.person('mia').says('/untimeout bob')).toHaveReplied(/may speak again/)
  expect((await chat.member('bob'))?.timeout_until).toBeNull()
})

test('the third warning is a timeout; warnings outlive a restart and are forgotten after a month', async () => {
  await using chat = await start()
  const mia = chat.person('mia')
  expect(await mia.says('/warn bob shouting')).toHaveReplied(/warning 1 of 3: shouting$/)
  await chat.clock.advance({ days: 31 })
  expect(await mia.says('/warn bob spam')).toHaveReplied(/warning 1 of 3/)
  await chat.restartBot()
  expect(await mia.says('/warn bob more spam')).toHaveReplied(/warning 2 of 3/)
  expect(await mia.says('/warnings bob')).toHaveReplied(/1\. spam\n2\. more spam$/)
  expect(await mia.says('/warn bob again')).toHaveReplied(/silent for an hour/)
  expect((await chat.member('bob'))?.timeout_until).not.toBeNull()
  expect(await mia.says('/warnings bob')).toHaveReplied(/no warnings/)
})

test('others may not', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('/timeout mia 10m')).toHaveReplied('Only people with the role mods can use this.')
  expect(await bob.dm().says('/warnings bob')).toHaveReplied('This works in servers only.')
})
