// No schemas and no zod types here, so importers compile without zod.

/** The methods of HTTP that the interface uses. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An upload of one picture: raw bytes with their Content-Type, or multipart with the field `field` (§4, PUT /me/avatar). */
export interface Upload {
  field: string
  bytes: number
  types: readonly string[]
}

/**
 * How a call is authorized: by the caller's token (a bot's, or a person's in the people's API), by a token in the path (of an interaction, or
 * of a channel webhook's URL), or not at all.
 */
export type Auth = 'bot' | 'path_token' | 'none'

/** The key of a response that may arrive wrapped or bare (decisions rows 6, 7), and how the local service sends it. */
export interface Variant {
  key: string
  here: 'bare' | 'wrapped'
}

/** The facts that a client needs to call an endpoint and to read its response: the entry of the table without its schemas. */
export interface Route {
  method: Method
  // Relative to the base URL, names in braces.
  path: string
  // The names of the path parameters; below, those of the query.
  params: readonly string[]
  query: readonly string[]
  // Whether the endpoint takes a JSON body.
  body: boolean
  upload?: Upload
  auth: Auth
  repeatable: boolean
  variant?: Variant
  // The key of the list in its response, if it returns one.
  list?: string
  // Whether its response contains `ok: true`.
  ok: boolean
}
