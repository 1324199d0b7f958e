import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('the saved conversation holds', async () => {
  await using chat = await startTestBot(folder, { now: '2026-11-27T13:25:42.804Z', trace: 'on-failure' })
  const ann = chat.person('ann')
  const bob = chat.person('bob')

  const answer1 = await ann.says('/poll "What\'s for lunch?" Noodles Rice')
  expect(answer1).toHaveReplied()
  expect(answer1).toHaveEmbed({ title: "What's for lunch?", description: `asked by <@${await ann.known()}>`, fields: [{ name: 'Noodles', value: '▱▱▱▱▱▱▱▱▱▱ 0' }, { name: 'Rice', value: '▱▱▱▱▱▱▱▱▱▱ 0' }] })
  expect(answer1).toHaveButton('Noodles')
  expect(answer1).toHaveButton('Rice')
  expect(answer1).toHaveButton('Close')
  const answer2 = await bob.clicks('Noodles')
  expect(answer2).toHaveUpdated()
  expect(answer2).toHaveEmbed({ title: "What's for lunch?", description: `asked by <@${await ann.known()}>`, fields: [{ name: 'Noodles', value: `▰▰▰▰▰▰▰▰▰▰ 1 <@${await bob.known()}>` }, { name: 'Rice', value: '▱▱▱▱▱▱▱▱▱▱ 0' }] })
  expect(answer2).toHaveReplied({ content: 'You voted for Noodles.', ephemeral: true })
  expect(await bob.clicks('Noodles')).toHaveReplied({ content: 'You already voted for Noodles.', ephemeral: true })
  const answer4 = await ann.clicks('Rice')
  expect(answer4).toHaveUpdated()
  expect(answer4).toHaveEmbed({ title: "What's for lunch?", description: `asked by <@${await ann.known()}>`, fields: [{ name: 'Noodles', value: `▰▰▰▰▰▱▱▱▱▱ 1 <@${await bob.known()}>` }, { name: 'Rice', value: `▰▰▰▰▰▱▱▱▱▱ 1 <@${await ann.known()}>` }] })
  expect(answer4).toHaveReplied({ content: 'You voted for Rice.', ephemeral: true })
  await chat.clock.advance({ seconds: 30 })
  expect(await bob.clicks('Close')).toHaveReplied({ content: 'Only the person who asked can close this poll.', ephemeral: true })
  const answer6 = await ann.clicks('Close')
  expect(answer6).toHaveUpdated()
  expect(answer6).toHaveEmbed({ title: "What's for lunch?", description: `asked by <@${await ann.known()}>`, fields: [{ name: 'Noodles', value: `▰▰▰▰▰▱▱▱▱▱ 1 <@${await bob.known()}>` }, { name: 'Rice', value: `▰▰▰▰▰▱▱▱▱▱ 1 <@${await ann.known()}>` }] })
})
