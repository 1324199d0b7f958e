import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

test('version 2 reads a pot that version 1 stored', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const channel_id = chat.world.servers['Workshop']!.channels['general']!
  await chat.state.seed('pot', { channel_id }, 'mint', { version: 1 })
  expect(await chat.person('ann').says('/pour')).toHaveReplied('A cup of mint tea; 5 are left.')
  expect(await chat.state.read('pot', { channel_id })).toEqual({ version: 2, value: { tea: 'mint', cups: 5 } })
})

test('reads a value as seeded; rejects an unknown state or owner', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const channel_id = chat.world.servers['Workshop']!.channels['general']!
  await chat.state.seed('pot', { channel_id }, 'mint')
  expect(await chat.state.read('pot', { channel_id })).toEqual({ version: 1, value: 'mint' })
  expect(await chat.state.read('pot', { channel_id: 'elsewhere' })).toBeUndefined()
  await expect(chat.state.read('pots', { channel_id })).rejects.toThrow(
    'the bot has no state "pots"; available: cups, pot',
  )
  await expect(chat.state.seed('pot', {}, 'mint')).rejects.toThrow('state "pot" is stored per channel')
})
