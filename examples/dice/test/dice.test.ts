import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('dice are rolled as asked for, and again by a button', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  expect(await ann.says('/roll')).toHaveReplied(/^🎲 ann rolls [1-6]$/)
  expect(await ann.says('/roll 2 20')).toHaveReplied(/^🎲 ann rolls \d+ \+ \d+ = \d+$/)
  expect(await chat.person('bob').clicks('Roll again')).toHaveReplied(/^🎲 bob rolls \d+ \+ \d+ = \d+$/)
  expect(await ann.says('/roll 2 1000')).toHaveReplied(/100/)
})

test('only the challenged may accept a duel, and the winner is counted', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  const bob = chat.person('bob')
  const duel = await ann.says('/duel bob')
  expect(duel).toHaveButton('Accept')
  expect(await chat.person('carol').clicks('Accept')).toBeEphemeral()
  expect(await bob.clicks('Accept', duel)).toHaveUpdated(/^⚔️ <@.+> rolls [1-6]/)
  // A draw counts for nobody.
  for (let round = 0; round < 10 && (await ann.says('/wins')).content.startsWith('Nobody'); round++) {
    await chat.clock.advance({ seconds: 30 })
    await ann.says('/duel bob')
    await bob.clicks('Accept')
  }
  await chat.restartBot()
  await chat.clock.advance({ seconds: 30 })
  expect(await ann.says('/wins')).toHaveReplied(/^1\. <@.+>: 1$/)
})

test('a duel may be declined, and nobody duels alone', async () => {
  await using chat = await startTestBot(folder)
  await chat.person('ann').says('/duel bob')
  const declined = await chat.person('bob').clicks('Decline')
  expect(declined).toHaveUpdated('bob puts the dice away: no duel.')
  expect(declined).not.toHaveButton()
  expect(await chat.person('ann').says('/duel ann')).toHaveReplied('You cannot duel with yourself.')
})
