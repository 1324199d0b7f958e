import type { Calls, Member, Message } from '@botwright/protocol/shapes'
import { routes } from '@botwright/protocol/facts'
import { methodsOf, type MethodsOf } from '@botwright/protocol/requests'
import type { Call, CallOptions } from './call-types.ts'
import { allMembers, allMessages, type DeletedMessages, deleteMessages, type MessageRange } from './iterate.ts'

/** The endpoints as methods, `client.messages.create({ channel_id, content })`, typed from the table. */
export type Client = MethodsOf<Calls, CallOptions> & {
  readonly members: {
    /** Every member of a server, page by page, sorted by user id. */
    all(input: { server_id: string }, options?: CallOptions): AsyncGenerator<Member, void, undefined>
  }
  readonly messages: {
    /** Messages of a channel: from `after` forward, oldest first; without `after` backward from `before` or now, newest first. */
    all(input: { channel_id: string } & MessageRange, options?: CallOptions): AsyncGenerator<Message, void, undefined>
    /** Deletes any number of messages, a hundred per call (§4). Deleting messages of others requires Manage messages. */
    deleteAll(input: { channel_id: string; ids: readonly string[] }, options?: CallOptions): Promise<DeletedMessages>
  }
}

type AnyCall = (name: string, input: object, options?: CallOptions) => Promise<unknown>

/** Wraps a `Call` as a client. */
export function createClient(call: Call): Client {
  const client: Record<string, Record<string, unknown>> = methodsOf(Object.keys(routes), call as unknown as AnyCall)
  client['members']!['all'] = (input: { server_id: string }, options?: CallOptions) => allMembers(call, input, options)
  client['messages']!['all'] = (input: { channel_id: string } & MessageRange, options?: CallOptions) =>
    allMessages(call, input, options)
  client['messages']!['deleteAll'] = (input: { channel_id: string; ids: readonly string[] }, options?: CallOptions) =>
    deleteMessages(call, input, options)
  return client as unknown as Client
}
