import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of packages/framework/docs/buttons.md.

const start = () => startTestBot(new URL('.', import.meta.url))

test('buttons keep their parameters over a restart, until they expire', async () => {
  await using chat = await start()
  const asked = await chat.person('ann').says('/poll 2h')
  expect(asked).toHaveEmbed({ title: 'Tea?' })
  expect(asked).toHaveButton({ label: 'Why?', style: 'link', url: 'https://example.com/tea' })
  const bob = chat.person('bob')
  expect(await bob.clicks('Yes', asked)).toHaveReplied('bob: yes')
  expect(await bob.clicks('👎', asked)).toHaveReplied('bob: no')
  await chat.restartBot()
  expect(await bob.clicks('Maybe', asked)).toHaveReplied('bob: maybe')
  await chat.clock.advance({ hours: 2, minutes: 1 })
  const late = await bob.clicks('Yes', asked)
  expect(late).toHaveReplied('This poll is over.')
  expect(late).toBeEphemeral()
})

test('stores parameters that are too long for a custom_id until the button expires', async () => {
  await using chat = await start()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  const note = 'buy milk, then tea, then milk again. '.repeat(30).trim()
  const noted = await ann.says(`/note ${note}`)
  await chat.restartBot()
  await chat.clock.advance({ days: 6 })
  const read = await bob.clicks('Read', noted)
  expect(read).toBeEphemeral()
  expect(read).toHaveReplied(`<@${ann.id}> noted: ${note}`)
  await chat.clock.advance({ days: 2 })
  expect(await bob.clicks('Read', noted)).toHaveReplied('This note is gone.')
})
