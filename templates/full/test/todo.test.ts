import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('keeps to-dos over a restart and removes one on a click', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  const ann = chat.person('ann')
  expect(await ann.says('/todo add water the plants')).toHaveReplied('Added: water the plants')
  await chat.person('bob').says('/todo add feed the cat')
  await chat.restartBot()
  expect(await ann.says('/todo list')).toHaveReplied('1. water the plants\n2. feed the cat')
  expect(await ann.clicks('Done: 1')).toHaveUpdated('1. feed the cat')
  expect(await chat.person('bob').clicks('Done: 1')).toHaveUpdated('Nothing left to do.')
  expect(await ann.in('random').says('/todo list')).toHaveReplied('Nothing left to do.')
})

test('adds to-dos in a conversation', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  const ann = chat.person('ann')
  expect(await ann.says('/todo plan')).toHaveReplied('What do you want to do first?')
  expect(await ann.says('sweep the yard')).toHaveReplied(/^What else\?/)
  expect(await chat.person('bob').says('hello')).not.toHaveReplied()
  expect(await ann.says('done')).toHaveReplied('To-dos added: 1')
  expect(await ann.says('/todo list')).toHaveReplied('1. sweep the yard')
})

test('lets only people who manage messages delete all to-dos, after a confirmation', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  const ann = chat.person('ann')
  await ann.says('/todo add water the plants')
  expect(await chat.person('bob').says('/todo clear')).toHaveReplied(/Manage messages/i)
  expect(await ann.says('/todo clear')).toHaveButton('Yes')
  expect(await ann.clicks('Yes')).toHaveReplied('Deleted.')
  expect(await ann.says('/todo list')).toHaveReplied('Nothing left to do.')
})

test('posts open to-dos in the evening', async () => {
  await using chat = await startTestBot(folder, { now: '2026-03-02T12:00:00Z', trace: 'on-failure' })
  const ann = chat.person('ann')
  await ann.says('/todo add water the plants')
  expect(await ann.watches(() => chat.clock.advance({ hours: 6 }))).toHaveReplied('1. water the plants')
})

test('rejects /todo in direct messages', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  expect(await chat.person('ann').dm().says('/todo list')).toHaveReplied(/server/)
})

test('shortens a long list', async () => {
  await using chat = await startTestBot(folder, { trace: 'on-failure' })
  const ann = chat.person('ann')
  await ann.says('/todo plan')
  expect(await ann.says('water '.repeat(300).trim())).toHaveReplied(/200/)
  for (let i = 0; i < 12; i++) await ann.says('water '.repeat(33).trim())
  expect(await ann.says('done')).toHaveReplied('To-dos added: 12')
  expect(await ann.says('/todo list')).toHaveReplied(/\n9\. water .*\n… and 3 more$/)
})

test('posts in the evening although a channel with to-dos was deleted', async () => {
  await using chat = await startTestBot(folder, { now: '2026-03-02T12:00:00Z', trace: 'on-failure' })
  const ann = chat.person('ann')
  const { channel_id } = await ann.says('/todo add water the plants')
  await ann.in('random').says('/todo add feed the cat')
  await ann.api.channels.delete({ channel_id })
  const posted = await ann.in('random').watches(() => chat.clock.advance({ hours: 6 }))
  expect(posted).toHaveReplied('1. feed the cat')
})
