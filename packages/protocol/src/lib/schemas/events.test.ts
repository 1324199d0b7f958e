import { expect, test } from 'vitest'
import type { EventType } from './event-facts.ts'
import { argsText, authorName, eventTypes, raw } from './event-facts.ts'
import type { EventData } from './events.ts'
import { eventData, EventPage, PolledEvent, WebhookEvent } from './events.ts'

const id = '00000000-0000-0000-0000-000000000001'
const time = '2026-03-01T10:00:00Z'
const membership = { server_id: id, channel_id: null, user_id: id, username: 'ann', member_count: 3 }
const reaction = {
  ...{ message_id: id, channel_id: id, server_id: null, user_id: id, username: 'ann' },
  ...{ emoji: '👍', message_author_id: id },
}
const voice = { user_id: id, channel_id: id, server_id: id }

/** One event per type, with exactly the fields of §6. */
const samples: { [T in EventType]: EventData<T> } = {
  message: {
    ...{
      id,
      channel_id: id,
      channel_name: 'general',
      server_id: id,
      author_id: id,
      author: 'ann',
      content: '/ping now',
    },
    ...{ attachment: null, reply_to_id: null, created_at: time, mentioned: false, author_bot: false },
    ...{ command: 'ping', args: 'now' },
  },
  member_join: { ...membership, joined_at: time },
  member_leave: membership,
  reaction_add: reaction,
  reaction_remove: reaction,
  interaction: {
    ...{ id, token: 't', type: 'button', custom_id: 'yes', message_id: id, channel_id: id, server_id: null },
    ...{ user_id: id, username: 'ann', expires_at: time },
  },
  voice_join: voice,
  voice_leave: voice,
  test: { channel_id: null, server_id: null },
}

test('the types are those of §6', () => {
  expect(eventTypes.toSorted()).toEqual(Object.keys(samples).toSorted())
})

test.each(eventTypes)('%s: the sample is valid, additional fields are kept, and no field may be missing', (type) => {
  const sample = samples[type]
  expect(eventData[type].parse({ ...sample, later: 1 })).toEqual({ ...sample, later: 1 })
  for (const name of Object.keys(sample).filter((key) => key !== 'command' && key !== 'args')) {
    const less = Object.fromEntries(Object.entries(sample).filter(([key]) => key !== name))
    expect(eventData[type].safeParse(less).success, name).toBe(false)
  }
})

test('an envelope accepts unknown event types, polled or delivered', () => {
  const data = { channel_id: null, server_id: id, colour: 'blue' }
  expect(PolledEvent.parse({ id: 7, type: 'server_dyed', data, created_at: time }).data).toEqual(data)
  expect(WebhookEvent.parse({ id: 7, event: 'server_dyed', data }).data).toEqual(data)
  expect(EventPage.parse({ events: [], last: 7 })).toEqual({ events: [], last: 7 })
  expect(PolledEvent.safeParse({ id: 7.5, type: 'test', data, created_at: time }).success).toBe(false)
})

test('converts args to one text, whatever their form (decisions row 4) [spec: decisions/4]', () => {
  expect(argsText('a b')).toBe('a b')
  expect(argsText(['a', 'b'])).toBe('a b')
  expect(argsText(['a', 1, null, 'b', true])).toBe('a 1 b true')
  expect(argsText(5)).toBe('5')
  expect(argsText(['two words', 'say "hi" now', ''])).toBe('"two words" "say \\"hi\\" now" ""')
  expect(argsText(['"two', 'words"'])).toBe('"two words"')
  for (const none of [undefined, null, {}, [], '']) expect(argsText(none)).toBe('')
})

test('converts the author to a name, whatever its form (decisions row 5) [spec: decisions/5]', () => {
  expect(authorName('ann')).toBe('ann')
  expect(authorName({ username: 'ann', display_name: 'Ann' })).toBe('ann')
  expect(authorName({ display_name: 'Ann' })).toBe('Ann')
  expect(authorName({ username: null, display_name: 'Ann' })).toBe('Ann')
  for (const none of [undefined, null, 5, {}, [], { username: 5 }]) expect(authorName(none)).toBe('')
})

test('a field that the specification does not name is kept, and only raw() can read it', () => {
  const voice = eventData.voice_join.parse({ user_id: id, channel_id: id, server_id: id, muted: true })
  expect(raw(voice)['muted']).toBe(true)
  // @ts-expect-error Property 'muted' does not exist on type
  expect(voice.muted).toBe(true)
})
