// Turns the recorded events and calls of a bot into a test.
export { conversationOf, type Conversation, type ConversationOptions, type Step } from './lib/save-test/conversation.ts'
export { hasFailed, writeTest, type TestOptions } from './lib/save-test/write-test.ts'
