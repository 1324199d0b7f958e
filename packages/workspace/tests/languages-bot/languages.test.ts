import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('answers people in the language that they chose, also after a restart', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  expect(await ann.says('/hello')).toHaveReplied('Hello, ann!')
  expect(await ann.says('/language de')).toHaveReplied('Ich antworte dir jetzt auf Deutsch.')
  expect(await ann.says('/hello')).toHaveReplied('Hallo, ann!')
  expect(await bob.says('/hello')).toHaveReplied('Hello, bob!')
  await chat.restartBot()
  expect(await ann.says('/votes 1')).toHaveReplied('1 Stimme')
  expect(await ann.says('/votes 12345')).toHaveReplied('12.345 Stimmen')
  expect(await bob.says('/votes 12345')).toHaveReplied('12,345 votes')
})

test('writes to another person in the language that this person chose', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  await ann.says('/language de')
  expect(await bob.says('/wake @ann')).not.toHaveReplied()
  expect((await ann.dm().sees()).at(0)?.content).toBe('Guten Morgen!')
  await ann.says('/wake @bob')
  expect((await bob.dm().sees()).at(0)?.content).toBe('Good morning!')
})

test('shows a time in the time zone in which it was typed', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  expect(await chat.person('ann').says('/meet 2026-03-01 18:00')).toHaveReplied(/^We meet Mar 1, 2026, 6:00\sPM$/)
})

test("shows the framework's own texts in the person's language, some replaced by the bot", async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  await ann.says('/language de')
  expect(await ann.says('/votes x')).toHaveReplied(/^count ist ungültig; .*\nSo geht es: \/votes /)
  expect(await bob.says('/votes x')).toHaveReplied(/^count must be .*\nUsage: \/votes /)
})
