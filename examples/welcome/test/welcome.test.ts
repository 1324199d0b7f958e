import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = {
  people: [{ username: 'ann' }, { username: 'bob' }],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob'],
      channels: [{ name: 'general' }],
      roles: [
        { name: 'painter' },
        { name: 'gardener' },
        { name: 'member' },
        { name: 'janitor', permissions: ['manage_roles' as const], members: ['bot'] },
      ],
    },
  ],
}
const start = () => startTestBot(new URL('..', import.meta.url), { world })

test('welcomes a new member by name', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe')
  expect(await zoe.joins()).toHaveReplied(/^Welcome, <@.+>! You are member number 3\./)
})

test('adds and removes roles without permissions on clicks', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  const panel = await bob.says('/roles')
  expect(panel).toHaveButton('painter')
  expect(panel).not.toHaveButton('janitor')
  expect(await bob.clicks('painter')).toHaveReplied('You now have the role painter.')
  expect((await chat.member('bob'))?.roles).toEqual(['painter'])
  expect(await bob.clicks('painter')).toHaveReplied('You no longer have the role painter.')
  expect((await chat.member('bob'))?.roles).toEqual([])
})

test('makes people members when they agree to the rules and ignores other reactions', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('/reaction-roles rules')).toHaveReplied(/^Only people with the permission/)
  const rules = await chat.person('ann').says('/reaction-roles rules')
  expect(rules).toHaveReacted('✅')
  expect(await bob.reacts('🎉', rules)).not.toHaveReplied()
  expect(await bob.reacts('✅', rules)).toHaveReplied('Thank you! You are now a member.')
  expect((await chat.member('bob'))?.roles).toEqual(['member'])
})

test('explains that it cannot change the roles of the owner', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/roles')
  expect(await ann.clicks('painter')).toHaveReplied('I cannot change your roles.')
})
