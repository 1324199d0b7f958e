// Turns the recorded events and calls of a bot into a test.
export { conversationOf } from './lib/save-test/conversation.ts'
export type { Conversation, ConversationOptions, Step } from './lib/save-test/conversation-types.ts'
export { hasFailed, writeTest, type TestOptions } from './lib/save-test/write-test.ts'
