import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('counts a round of tea, even across a restart', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const ann = chat.person('ann')
  const bob = chat.person('bob')

  expect(await ann.says('/steep green')).toHaveReplied('green tea steeps 2 minutes.')
  expect(await ann.says('/tea mint')).toHaveButton('Me!')
  expect(await bob.clicks('Me!')).toHaveReplied('bob takes mint tea: cup 1.')
  await chat.restartBot()
  expect(await bob.clicks('Me!')).toHaveReplied('bob takes mint tea: cup 2.')
  expect(await ann.says('/cups')).toHaveReplied(/^1\. <@.+>: 2$/)
})
