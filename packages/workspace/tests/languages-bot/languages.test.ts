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

test('finds the language of a person whose id is in upper case', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  await ann.says('/language de')
  expect(await ann.says('/own')).toHaveReplied('de')
})

test('finds a language in any case', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  for (const name of ['DE', 'de-at'])
    expect(await chat.person('ann').says(`/morning ${name}`)).toHaveReplied('Guten Morgen!')
  expect(await chat.person('ann').says('/morning nowhere')).toHaveReplied('Good morning!')
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

test('shows texts of the code in the language of the person, and accepts translated choices', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  await ann.says('/language de')
  expect(await ann.says('/help alarm')).toHaveReplied(
    [
      '`/alarm <leise|laut> <wann>`',
      'Stellt einen Wecker',
      '`Lautstärke` Wie laut er ist: leise oder laut',
      '`wann` ein Datum oder eine Uhrzeit in der Zukunft',
      'Beispiel: `/alarm laut morgen um 8 Uhr`',
    ].join('\n'),
  )
  expect(await ann.says('/help')).toHaveReplied(/`\/alarm` Stellt einen Wecker/)
  expect(await bob.says('/help')).toHaveReplied(/`\/alarm` Sets an alarm/)
  expect(await ann.says('/alarm egal morgen')).toHaveReplied(
    [
      'Lautstärke ist ungültig; erwartet: leise oder laut',
      'So geht es: /alarm <leise|laut> <wann>',
      'Beispiel: /alarm laut morgen um 8 Uhr',
    ].join('\n'),
  )
  expect(await ann.says('/zone Mars')).toHaveReplied(/^zone ist keine Zeitzone\n/)
  expect(await ann.says('/alarm Laut 2030-01-01 8:00')).toHaveReplied('loud, 2030-01-01T08:00:00.000Z')
  expect(await ann.says('/alarm quiet 1.1.2030 um 8 Uhr')).toHaveReplied('quiet, 2030-01-01T08:00:00.000Z')
  expect(await bob.says('/alarm laut 2030-01-01 8:00')).toHaveReplied(
    /^volume must be quiet or loud; did you mean loud\?\n/,
  )
})

test('reads a date in the time zone that the person chose', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  await ann.says('/zone Asia/Tokyo')
  expect(await ann.says('/alarm loud 2030-01-01 8:00')).toHaveReplied('loud, 2029-12-31T23:00:00.000Z')
  expect(await ann.says('/alarm loud 2020-01-01 8:00')).toHaveReplied(/^when must be a date or time in the future\n/)
})
