import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('the conversation in a world of its own holds', async () => {
  await using chat = await startTestBot(folder, {
    now: '2026-11-27T13:25:43.536Z',
    trace: 'on-failure',
    world: {
      people: [{ username: 'zoe' }, { username: 'yan' }],
      bots: [{ username: 'pollster', owner: 'zoe' }, { username: 'porter', owner: 'zoe' }],
      servers: [
        { name: 'Station', owner: 'zoe', bots: ['porter'], channels: [{ name: 'desk' }] },
        {
          name: "Zoe's library",
          owner: 'zoe',
          members: ['yan'],
          bots: ['porter', 'pollster'],
          roles: [{ name: 'readers', permissions: ['manage_messages'], members: ['yan'] }],
          channels: [{ name: 'desk' }, { name: 'stacks', private: true, roles: ['readers'] }],
        },
      ],
    },
  })
  const zoe = chat.person('zoe').in(chat.world.servers["Zoe's library"]!.channels.desk!)
  const yan = chat.person('yan').in(chat.world.servers["Zoe's library"]!.channels.desk!)

  const answer1 = await zoe.says('/poll "Quiet hours?" Yes No')
  expect(answer1).toHaveReplied()
  expect(answer1).toHaveEmbed({ title: 'Quiet hours?', description: `asked by <@${await zoe.known()}>`, fields: [{ name: 'Yes', value: '▱▱▱▱▱▱▱▱▱▱ 0' }, { name: 'No', value: '▱▱▱▱▱▱▱▱▱▱ 0' }] })
  expect(answer1).toHaveButton('Yes')
  expect(answer1).toHaveButton('No')
  expect(answer1).toHaveButton('Close')
  const answer2 = await yan.clicks('Yes')
  expect(answer2).toHaveUpdated()
  expect(answer2).toHaveEmbed({ title: 'Quiet hours?', description: `asked by <@${await zoe.known()}>`, fields: [{ name: 'Yes', value: `▰▰▰▰▰▰▰▰▰▰ 1 <@${await yan.known()}>` }, { name: 'No', value: '▱▱▱▱▱▱▱▱▱▱ 0' }] })
  expect(answer2).toHaveReplied({ content: 'You voted for Yes.', ephemeral: true })
})
