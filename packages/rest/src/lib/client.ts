import type { Calls, Member, Message } from '@botwright/protocol/shapes'
import { routes } from '@botwright/protocol/facts'
import type { Call, CallOptions } from './call.ts'
import { allMembers, allMessages, type DeletedMessages, deleteMessages, type MessageRange } from './iterate.ts'

/** `input` is optional if an endpoint requires none. */
type MethodOf<C> = C extends { input: infer Input; output: infer Output }
  ? object extends Input
    ? (input?: Input, options?: CallOptions) => Promise<Output>
    : (input: Input, options?: CallOptions) => Promise<Output>
  : never

type Groups = {
  readonly [G in keyof Calls]: { readonly [K in keyof Calls[G]]: MethodOf<Calls[G][K]> }
}

/** The endpoints as methods, `client.messages.create({ channel_id, content })`, typed from the table. */
export type Client = Groups & {
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

/** Wraps a `Call` as a client. */
export function createClient(call: Call): Client {
  const anyCall = call as unknown as (name: string, input: object, options?: CallOptions) => Promise<unknown>
  const client: Record<string, Record<string, unknown>> = {}
  for (const name of Object.keys(routes)) {
    const [group, key] = name.split('.') as [string, string]
    client[group] ??= {}
    client[group][key] = (input: object = {}, options?: CallOptions) => anyCall(name, input, options)
  }
  client['members']!['all'] = (input: { server_id: string }, options?: CallOptions) => allMembers(call, input, options)
  client['messages']!['all'] = (input: { channel_id: string } & MessageRange, options?: CallOptions) =>
    allMessages(call, input, options)
  client['messages']!['deleteAll'] = (input: { channel_id: string; ids: readonly string[] }, options?: CallOptions) =>
    deleteMessages(call, input, options)
  return client as unknown as Client
}
