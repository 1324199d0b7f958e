import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('what is noted stays over a restart, and a click takes it away', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  expect(await ann.says('/todo add water the plants')).toHaveReplied('Noted: water the plants')
  await chat.person('bob').says('/todo add feed the cat')
  await chat.restartBot()
  expect(await ann.says('/todo list')).toHaveReplied('1. water the plants\n2. feed the cat')
  expect(await ann.clicks('1 is done')).toHaveUpdated('1. feed the cat')
  expect(await chat.person('bob').clicks('1 is done')).toHaveUpdated('Nothing is left to do.')
  expect(await ann.in('random').says('/todo list')).toHaveReplied('Nothing is left to do.')
})

test('a plan is made by asking', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  expect(await ann.says('/todo plan')).toHaveReplied('What is to be done?')
  expect(await ann.says('sweep the yard')).toHaveReplied(/^What else\?/)
  expect(await chat.person('bob').says('hello')).not.toHaveReplied()
  expect(await ann.says('that is all')).toHaveReplied('I have noted 1.')
  expect(await ann.says('/todo list')).toHaveReplied('1. sweep the yard')
})

test('only who manages messages forgets everything, and is asked before', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  await ann.says('/todo add water the plants')
  expect(await chat.person('bob').says('/todo clear')).toHaveReplied(/Manage messages/i)
  expect(await ann.says('/todo clear')).toHaveButton('Yes')
  expect(await ann.clicks('Yes')).toHaveReplied('Forgotten.')
  expect(await ann.says('/todo list')).toHaveReplied('Nothing is left to do.')
})

test('the evening shows what is left', async () => {
  await using chat = await startTestBot(folder, { now: '2026-03-02T12:00:00Z' })
  const ann = chat.person('ann')
  await ann.says('/todo add water the plants')
  expect(await ann.watches(() => chat.clock.advance({ hours: 6 }))).toHaveReplied('1. water the plants')
})

test('lists belong to servers', async () => {
  await using chat = await startTestBot(folder)
  expect(await chat.person('ann').dm().says('/todo list')).toHaveReplied(/server/)
})
