import { expect, test } from 'vitest'
import type { StreamEvent } from '@botwright/service/people'
import pc from 'picocolors'
import { ChatLines } from './chat-lines.ts'

type Shown = StreamEvent<'message_create'>['message']
const id = '00000000-0000-4000-8000-000000000001'
const view = { channelId: id, channelName: () => '#general', userName: () => 'ann' }
const author = { id, username: 'bot', display_name: null, avatar_url: null, bot: true }
const board = {
  ...{ id, channel_id: id, channel_name: 'general', server_id: id, author_id: id, author: 'bot', content: 'Vote' },
  ...{ attachment: null, reply_to_id: null, created_at: '2026-01-01T00:00:00.000Z', mentioned: false },
  ...{ author_bot: true, embeds: [], components: [], pinned: false, edited_at: null, reactions: [] },
} satisfies Shown
const rowOf = (label: string): Shown['components'] => [
  { type: 'row', components: [{ type: 'button', style: 'primary', label, custom_id: label }] },
]

test('an update that changes only the buttons is shown, and a pin of an edited message is not', () => {
  const lines = new ChatLines(pc.createColors(false))
  const show = (type: 'message_create' | 'message_update', message: Shown) =>
    lines.of({ type, data: { channel_id: id, server_id: id, message, author } }, view)
  const first = { ...board, components: rowOf('Yes') }
  expect(show('message_create', first)).toEqual(['bot: Vote', '  [:1 Yes]'])
  expect(show('message_update', { ...first, pinned: true })).toEqual([])
  const next = { ...first, components: rowOf('Next') }
  expect(show('message_update', next)).toEqual(['bot (edited): Vote', '  [:2 Next]'])
  expect(lines.button(2)).toMatchObject({ message_id: id, custom_id: 'Next' })
  const edited = { ...next, content: 'Voted', edited_at: '2026-01-01T00:00:01.000Z' }
  expect(show('message_update', edited)).toEqual(['bot (edited): Voted', '  [:2 Next]'])
  expect(show('message_update', { ...edited, pinned: true })).toEqual([])
})
