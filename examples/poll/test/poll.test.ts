import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'
import { converse } from '../conversation.ts'

test('two people vote, change their minds and close the poll', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const seen: string[] = []
  await converse({
    ann: await chat.person('ann'),
    bob: await chat.person('bob'),
    tell: (who, what) => seen.push(`${who} ${what}`),
  })
  expect(seen).toContain('bob clicks [Noodles]')
})

test('a click on a poll whose message a restart lies before still counts', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const ann = await chat.person('ann')
  const poll = await ann.says('/poll Tea? yes no')
  await chat.restartBot()
  const update = await ann.clicks(poll, 'yes')
  expect(update.embeds[0]?.footer?.text).toBe('1 vote')
})
