import { expect, test } from 'vitest'
import { conversationOf } from './conversation.ts'
import { writeTest } from './write-test.ts'

const [here, home] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
const world = {
  people: [{ username: 'ann' }],
  servers: ['Attic', 'Yard'].map((name) => ({ name, owner: 'ann', channels: [{ name: 'lab' }] })),
}

test.each([
  ['Attic', ['await zoe.joins()', 'await zoe.leaves()']],
  ['Yard', ["await zoe.joins('Yard')", "await zoe.leaves('Yard')"]],
])('people join and leave the server of the conversation, %s', (server, expected) => {
  const events = ['member_join', 'member_leave'].map((type, index) => ({
    id: index + 1,
    at: new Date(index).toISOString(),
    type,
    data: JSON.stringify({ channel_id: null, server_id: home, user_id: here, username: 'zoe' }),
  }))
  const channels = new Map([[here, { server, name: 'lab' }]])
  const options = { events, calls: [], channelId: here, channel: 'lab', serverId: home, channels }
  const text = writeTest(conversationOf(options), { title: 't', world })
  expect(text.match(/await zoe\..*/g)).toEqual(expected)
})
