import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const start = () => startTestBot(new URL('..', import.meta.url), { now: '2026-03-01T12:00:00Z' })

test('sends a reminder directly, even after a restart', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/remind me in 2h to water the plants')).toHaveReplied('I will remind you in 2 h.')
  await chat.clock.advance({ hours: 1 })
  await chat.restartBot()
  expect(await ann.watches(() => chat.clock.advance({ minutes: 59 }))).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance({ minutes: 1 }))).toHaveReplied('⏰ water the plants')
})

test('sends a reminder that came due while the bot was down', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/remind me in 1h to water the plants')
  expect(await ann.watches(() => chat.restartBot({ after: '2h' }))).toHaveReplied('⏰ water the plants')
})

test('reads times for a channel in its time zone', async () => {
  await using chat = await start()
  const bob = chat.person('bob').in('random')
  expect(await bob.says('/remind here tomorrow 18:00 to vote')).toHaveReplied(/^I will remind this channel in 1 day/)
  expect(await bob.watches(() => chat.clock.advance({ hours: 29 }))).toHaveReplied(/^⏰ <@.+> vote$/)
})

test('lists and deletes only your own reminders', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/remind me in 3h to sleep')
  await ann.says('/remind me in 1h to eat')
  expect(await chat.person('bob').says('/forget 1')).toHaveReplied(/^No reminder with that number/)
  expect(await ann.says('/reminders')).toHaveReplied('1. in 1 h: eat\n2. in 3 h: sleep')
  expect(await ann.says('/forget 1')).toHaveReplied('Deleted: eat')
  expect(await ann.watches(() => chat.clock.advance({ hours: 2 }))).not.toHaveReplied()
  expect(await ann.says('/reminders')).toHaveReplied('1. in 1 h: sleep')
})

test('greets a channel at nine with the reminders of the day, if enabled', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/morning on')
  await ann.says('/remind here tomorrow 18:00 to vote')
  const morning = await ann.watches(() => chat.clock.advance({ hours: 20 }))
  expect(morning).toHaveReplied('Good morning!\n- in 9 h: vote')
  await ann.says('/morning off')
  expect(await ann.watches(() => chat.clock.advance({ days: 1 }))).toHaveReplied(/vote$/)
})

test('lists many long reminders in one message', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  for (let i = 0; i < 6; i++) {
    await ann.says(`/remind me in 2h to ${'water the plants '.repeat(28)}${i}`)
    await chat.clock.advance({ seconds: 20 })
  }
  expect(await ann.says('/reminders')).toHaveReplied(/^1\. in .*\n(?:.*\n)*6\. in /)
})
