import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'
import { converse } from '../conversation.ts'

const folder = new URL('..', import.meta.url)

test('lets two people vote, change their votes and close the poll', async () => {
  await using chat = await startTestBot(folder)
  const seen: string[] = []
  await converse({
    ann: chat.person('ann'),
    bob: chat.person('bob'),
    tell: (who, what) => seen.push(`${who} ${what}`),
  })
  expect(seen).toContain('bob clicks [Noodles]')
})

test('counts a click on a poll from before a restart', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  await ann.says('/poll Tea? yes no')
  await chat.restartBot()
  expect(await ann.clicks('yes')).toHaveEmbed({ footer: { text: '1 vote' } })
})

test('explains that a choice needs a text', async () => {
  await using chat = await startTestBot(folder)
  expect(await chat.person('ann').says('/poll Tea? yes ""')).toHaveReplied(
    /^choices \(item 2\) must be text of 1 to 80 characters/,
  )
})
