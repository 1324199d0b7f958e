import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of the pages on conversations and tasks. A Monday, 7:30 in Berlin.
const start = (env: Record<string, string> = {}) =>
  startTestBot(new URL('.', import.meta.url), { now: '2026-03-02T06:30:00Z', env })

async function asked() {
  const chat = await start()
  const ann = chat.person('ann')
  await ann.says('/join')
  await chat.clock.advance('2h')
  return { chat, ann: ann.dm() }
}

test('a task asks with a button, and the click starts a conversation, however long the answers take', async () => {
  const { chat, ann } = await asked()
  await using _ = chat
  expect(await ann.clicks('Answer')).toHaveReplied('What did you do?')
  await chat.clock.advance('20m')
  // A click is open for 15 minutes (§3), so the conversation continues in messages.
  expect(await ann.says('tea')).toHaveReplied('What will you do?')
  await chat.clock.advance('1h')
  expect(await ann.says('coffee')).toHaveReplied('Noted: tea, then coffee.')
})

test.each([
  ['its default', {}, '2026-03-03T08:00:00.000Z'],
  ['another value', { TEAM_ZONE: 'Asia/Tokyo' }, '2026-03-03T00:00:00.000Z'],
])('a date is read by the clocks of the zone that a variable names: %s', async (_, env, until) => {
  await using chat = await start(env)
  expect(await chat.person('ann').says('/holiday tomorrow 9:00')).toHaveReplied(`ann is away until ${until}`)
})

test('notifies a person who has not answered for hours that it is over, and how to start again', async () => {
  const { chat, ann } = await asked()
  await using _ = chat
  await ann.clicks('Answer')
  const over = await ann.watches(() => chat.clock.advance('4h'))
  expect(over).toHaveReplied(/No answer came within 3 h\. To start again: click the button again$/)
})

test('asks a person to click again after a restart', async () => {
  const { chat, ann } = await asked()
  await using _ = chat
  await ann.clicks('Answer')
  const told = await ann.watches(() => chat.restartBot())
  expect(told).toHaveReplied(/Please start again: click the button again$/)
  expect(await ann.clicks('Answer')).toHaveReplied('What did you do?')
})

test('the time zone of a task comes from the environment of the running bot', async () => {
  await using chat = await start({ TEAM_ZONE: 'Asia/Tokyo' })
  const ann = chat.person('ann')
  await ann.says('/join')
  // 9:00 in Berlin, and in Tokyo not before midnight UTC.
  expect(await ann.watches(() => chat.clock.advance('2h'))).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance('16h'))).toHaveReplied(/Good morning/)
})

test('rejects a variable that is not a time zone at startup', async () => {
  await expect(start({ TEAM_ZONE: 'Mars/Base' })).rejects.toThrow(
    'tasks/morning.ts: timezone: the variable TEAM_ZONE is not a time zone; write TEAM_ZONE=Europe/Berlin',
  )
})
