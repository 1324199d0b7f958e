import { expect, test } from 'vitest'
import type { Context } from '../../author/context.ts'
import { messagesForModel } from './model-messages.ts'

// Messages in forms that the local service does not return.

const bob = { id: 'bob', username: 'bob', display_name: null }

/** The context of an event in a channel with these messages. */
const contextOf = (messages: object[], authors: object[] = [bob]) =>
  ({
    ...{
      file: 'commands/ask.ts',
      channel_id: 'general',
      me: { id: 'me' },
      envelope: { type: 'reaction_add' },
      event: {},
    },
    api: { messages: { list: async () => ({ messages, authors }) } },
  }) as unknown as Context

const contents = async (...given: Parameters<typeof messagesForModel>) =>
  (await messagesForModel(...given)).map(({ content }) => content)

test('messages may lack the fields that only REST returns, and those without a value', async () => {
  const message = { id: '1', author_id: 'bob', author: 'bob', content: 'tea?' }
  expect(await contents(contextOf([message]))).toEqual(['bob: tea?'])
  expect(await contents(contextOf([{ ...message, embeds: null, attachment: '' }]))).toEqual(['bob: tea?'])
  const sent = { id: '2', author_id: 'bob', embeds: [{ title: 'Scores', fields: null }] }
  expect(await contents(contextOf([sent]))).toEqual(['bob: Scores'])
})

test('the name of an author may be an object, and the list of authors may be missing', async () => {
  const message = { id: '1', author_id: 'bob', author: { username: 'bob' }, content: 'tea?' }
  expect(await contents(contextOf([message]))).toEqual(['bob: tea?'])
  expect(await contents(contextOf([message], undefined as never))).toEqual(['bob: tea?'])
  expect(await contents(contextOf([message], []))).toEqual(['bob: tea?'])
})

test('a character is a code point', async () => {
  const of = (id: string, content: string) => ({ id, author_id: 'bob', author: 'bob', content })
  const messages = [of('1', '😀😀😀'), of('2', 'tea')]
  expect(await contents(contextOf(messages), { characters: 16 })).toEqual(['bob: 😀😀😀', 'bob: tea'])
  expect(await contents(contextOf(messages), { characters: 15 })).toEqual(['bob: tea'])
})
