import {
  Author,
  endpoint,
  endpoints,
  Id,
  imageTypes,
  Message,
  MessageEdit,
  QueryInteger,
  text,
  Time,
  limits,
} from '@botwright/protocol'
import * as z from 'zod'
import { spec } from '../spec.ts'

const onePath = '/channels/{channel_id}/messages/{message_id}'

const { messages_page } = limits
/** A text of a message's length may not fit into the head of a request, where a character takes up to 12 bytes. */
const SEARCHED_CHARACTERS = 500

export const messages = {
  list: endpoint({
    method: 'GET',
    path: '/channels/{channel_id}/messages',
    spec,
    summary: 'List messages, oldest first, with their authors',
    query: z.object({
      limit: QueryInteger(messages_page.min, messages_page.max).default(messages_page.default),
      before: Time.optional(),
      after: Time.optional(),
    }),
    response: z.object({ messages: z.array(Message), authors: z.array(Author) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/channels/{channel_id}/messages',
    spec,
    summary: 'Post a message as JSON, or as a form with the same fields and an image; content or an image is required',
    body: z.object({ content: text(limits.message_content.characters).default(''), reply_to: Id.optional() }),
    // The specification has no limit for pictures in messages; use that of avatars.
    upload: { field: 'file', bytes: limits.avatar.bytes, types: imageTypes },
    response: Message,
  }),
  get: endpoint({ method: 'GET', path: onePath, spec, summary: 'Get a message', response: Message }),
  update: endpoint({
    method: 'PATCH',
    path: onePath,
    spec,
    summary: "Edit one of the person's messages",
    body: MessageEdit.pick({ content: true }),
    response: Message,
    limits: ['message_edits', 'edits'],
  }),
  search: endpoint({
    method: 'GET',
    path: '/messages',
    spec,
    summary:
      'Search the texts and embeds of messages, newest first; next continues with older ones, and a page may be empty before the last',
    query: z.object({
      text: text(SEARCHED_CHARACTERS).min(1).optional().describe('default: all messages'),
      server_id: Id.optional(),
      channel_id: Id.optional(),
      author_id: Id.optional(),
      before: QueryInteger(1, Number.MAX_SAFE_INTEGER).optional(),
      limit: QueryInteger(1, messages_page.max).default(messages_page.default),
    }),
    response: z.object({ messages: z.array(Message), authors: z.array(Author), next: z.int().nullable() }),
  }),
  pins: endpoint({
    method: 'GET',
    path: '/channels/{channel_id}/pins',
    spec,
    summary: 'List the pinned messages, newest first, with their authors',
    response: z.object({ messages: z.array(Message), authors: z.array(Author) }),
  }),
  delete: endpoint({ ...endpoints.messages.delete, spec }),
  pin: endpoint({ ...endpoints.messages.pin, spec }),
  unpin: endpoint({ ...endpoints.messages.unpin, spec }),
} as const
