// No schema here, nor its type: what reads this compiles without zod.

/** The methods of HTTP that the interface uses. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An upload of one picture: raw bytes with their Content-Type, or multipart with the field `field` (§4, PUT /me/avatar). */
export interface Upload {
  field: string
  bytes: number
  types: readonly string[]
}

/** Who may call: the bot by its token, whoever holds the token in the path, or (for a channel webhook) its URL. */
export type Auth = 'bot' | 'path_token'

/** The key of an answer that may arrive wrapped or bare (decisions rows 6, 7), and how the local service sends it. */
export interface Variant {
  key: string
  here: 'bare' | 'wrapped'
}

/** What a client needs of an endpoint to send a call and to read its answer: the table's row without its schemas. */
export interface Route {
  method: Method
  /** Relative to the base URL, names in braces. */
  path: string
  /** The names of the path and of the query. */
  params: readonly string[]
  query: readonly string[]
  /** Whether it takes a JSON body. */
  body: boolean
  upload?: Upload
  auth: Auth
  repeatable: boolean
  variant?: Variant
  /** The key of the list in its answer, if it gives one. */
  list?: string
  /** Whether its answer is `{ ok: true }` and more. */
  ok: boolean
}
