// From what a bot heard and answered to a test that holds it to that.
export { conversationOf, type Conversation, type ConversationOptions, type Step } from './lib/save-test/conversation.ts'
export { writeTest, type TestOptions } from './lib/save-test/write-test.ts'
