import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

test('rolls dice and rolls again on a click', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  expect(await ann.says('/roll')).toHaveReplied(/^🎲 ann rolls [1-6]$/)
  expect(await ann.says('/roll 2 20')).toHaveReplied(/^🎲 ann rolls \d+ \+ \d+ = \d+$/)
  expect(await chat.person('bob').clicks('Roll again')).toHaveReplied(/^🎲 bob rolls \d+ \+ \d+ = \d+$/)
  expect(await ann.says('/roll 2 1000')).toHaveReplied(/100/)
})

test('lets only the challenged person accept a duel and counts the win', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  const bob = chat.person('bob')
  const duel = await ann.says('/duel bob')
  expect(duel).toHaveButton('Accept')
  expect(await chat.person('carol').clicks('Accept')).toBeEphemeral()
  expect(await bob.clicks('Accept', duel)).toHaveUpdated(/^⚔️ <@.+> rolls [1-6]/)
  // A draw does not count.
  for (let round = 0; round < 10 && (await ann.says('/wins')).content.startsWith('No duels'); round++) {
    await chat.clock.advance({ seconds: 30 })
    await ann.says('/duel bob')
    await bob.clicks('Accept')
  }
  await chat.restartBot()
  await chat.clock.advance({ seconds: 30 })
  expect(await ann.says('/wins')).toHaveReplied(/^1\. <@.+>: 1$/)
})

test('handles a declined duel and rejects a duel with oneself', async () => {
  await using chat = await startTestBot(folder)
  await chat.person('ann').says('/duel bob')
  const declined = await chat.person('bob').clicks('Decline')
  expect(declined).toHaveUpdated('bob declined the duel.')
  expect(declined).not.toHaveButton()
  expect(await chat.person('ann').says('/duel ann')).toHaveReplied('You cannot challenge yourself.')
})

test('counts wins in servers only', async () => {
  await using chat = await startTestBot(folder)
  expect(await chat.person('ann').dm().says('/wins')).toHaveReplied('This works in servers only.')
})
