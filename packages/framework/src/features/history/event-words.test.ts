import { expect, test } from 'vitest'
import { describeEvent } from './event-words.ts'

const message = (command: string) => ({
  type: 'message',
  data: { command, args: ['add', 'milk'], author: 'ann', channel_name: 'general' },
})

test.each([
  ['commands/ping.ts', 'ping', '/ping'],
  ['commands/queue/add.ts', 'queue', '/queue add'],
  ['src/commands/(shop)/queue/(more)/add.ts', 'queue', '/queue add'],
  ['@shop/queues/commands/queue/list/all.js', 'queue', '/queue list all'],
  // Under another name, or in a file for all messages.
  ['commands/queue/add.ts', 'q', '/q'],
  ['events/message.ts', 'queue', '/queue'],
])('%s shows the command /%s as %s', (file, command, what) => {
  expect(describeEvent(message(command), file)).toEqual({ what, who: 'ann → #general' })
})

test.each([
  ['message', '/pign Tea?', '/pign'],
  ['message', '/usr/bin is full', 'message'],
  ['message', 'hello /ping', 'message'],
  ['message_update', '/pign', 'message_update'],
])('a %s “%s” without a command of the bot is shown as %s', (type, content, what) => {
  expect(describeEvent({ type, data: { content } }, '').what).toBe(what)
})
