import { expect, test } from 'vitest'
import type { BotEvent } from '../people-api/resources.ts'
import { conversationOf } from './conversation.ts'
import { writeTest } from './write-test.ts'

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const channelId = id(1)
const serverId = id(2)
const [ann, bob, helper] = [
  { user_id: id(11), username: 'ann' },
  { user_id: id(12), username: 'bob' },
  { user_id: id(14), username: 'helper' },
]

const events = (...all: [type: string, data: object][]): BotEvent[] =>
  all.map(([type, data], index) => ({
    id: index + 1,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    type,
    data: JSON.stringify({ channel_id: channelId, server_id: serverId, ...data }),
  }))

test('leaves out the steps of other bots', () => {
  const message = { message_id: id(20) }
  const happened = events(
    ['message', { id: id(20), author: 'ann', author_id: ann.user_id, content: '/ping' }],
    ['reaction_add', { ...helper, ...message, emoji: '👍' }],
    ['reaction_remove', { ...helper, ...message, emoji: '👍' }],
    ['member_join', helper],
    ['member_leave', helper],
    ['reaction_add', { ...bob, ...message, emoji: '🎉' }],
  )
  const options = { events: happened, calls: [], channelId, channel: 'general', serverId, bots: [helper.user_id] }
  const written = writeTest(conversationOf(options), { title: 'a talk' })
  const lines = written.split('\n').filter((line) => line.startsWith('  '))
  expect(lines.slice(1).map((line) => line.trim())).toEqual([
    "const ann = chat.person('ann')",
    "const bob = chat.person('bob')",
    "await ann.says('/ping')",
    '// bob reacts with 🎉 on a message that this test does not have.',
  ])
})
