import type { AnswerOf, Endpoint, PathNames, RequestOf } from '@botwright/protocol'
import type { Chat } from '../chat.ts'
import type { BotRow, ChannelRow, InteractionRow, ServerRow, UserRow } from '../db/rows.ts'
import type { Json } from '../json.ts'
import type { Picture } from '../store/uploads.ts'

/** The input of a handler: the validated parts of the request, the caller (of a callback, the bot that answers), and what its path refers to. */
type Call<E extends Endpoint> = RequestOf<E> & {
  chat: Chat
  /** Calls back when the connection to the caller ends, or the response is sent. */
  onDisconnect: (end: () => void) => void
  /** The uploaded picture; optional if the endpoint also has a body. */
  file: E extends { upload: object } ? (E extends { body: object } ? Picture | undefined : Picture) : undefined
} & (E['auth'] extends 'none' ? object : { actor: UserRow }) &
  (E['auth'] extends 'path_token' ? { interaction: InteractionRow; channel: ChannelRow } : object) &
  (E extends { access: 'own_bot' } ? { bot: BotRow } : object) &
  ('server_id' extends PathNames<E['path']> ? { server: ServerRow } : object) &
  ('channel_id' extends PathNames<E['path']> ? { channel: ChannelRow } : object)

/** The response of a handler, or its JSON. */
type Answer<E extends Endpoint> = AnswerOf<E> | Json<AnswerOf<E>>

type Handler<E extends Endpoint> = (call: Call<E>) => Answer<E> | Promise<Answer<E>>

/** One handler per entry of a table; a missing one does not compile. */
export type Handlers<T> = {
  [G in keyof T]: { [K in keyof T[G]]: T[G][K] extends Endpoint ? Handler<T[G][K]> : never }
}

export const ok = { ok: true } as const
