import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of "A value per thing" in packages/framework/docs/state.md.

const start = () => startTestBot(new URL('.', import.meta.url))

test('two people answer for an event at once, and both are stored', async () => {
  await using chat = await start()
  const people = ['ann', 'bob', 'carl'].map((name) => chat.person(name))
  await Promise.all(people.map((person) => person.says('/rsvp party')))
  await chat.restartBot()
  const key = `${chat.world.servers['Workshop']!.id}:party`
  const stored = await chat.state.read('rsvps', { key })
  expect((stored?.value as { coming: string[] }).coming.toSorted()).toEqual(['ann', 'bob', 'carl'])
})

test('the events are shown in pages, until they expire', { tags: 'all/live' }, async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  for (const event of ['brunch', 'dinner', 'party']) await ann.says(`/rsvp ${event}`)
  const asked = await ann.says('/events')
  expect(asked).toHaveEmbed({ description: 'brunch: 1\ndinner: 1' })
  expect((await ann.clicks('▶', asked)).updates[0]).toMatchObject({ embeds: [{ description: 'party: 1' }] })
  await chat.clock.advance({ days: 60 })
  await ann.says('/rsvp dinner')
  await chat.clock.advance({ days: 31 })
  expect(await ann.says('/events')).toHaveEmbed({ description: 'dinner: 1' })
})

test('a durable handler reads the value that it wrote before a restart', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await chat.state.seed('rsvps', { key: 'old' }, { coming: [] })
  await ann.says('/invite tea')
  await chat.restartBot()
  const later = await ann.watches(() => chat.clock.advance({ hours: 1 }))
  expect(later).toHaveReplied('the host invites you; there were 1 events before.')
})
