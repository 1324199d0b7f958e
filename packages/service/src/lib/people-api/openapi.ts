import {
  Author,
  Category,
  Channel,
  Embed,
  ErrorBody,
  Id,
  limits,
  Member,
  Message,
  Ok,
  Reaction,
  Role,
  Server,
  Time,
} from '@botwright/protocol'
import { pathsOf, refusals, serversAt } from '@botwright/protocol/openapi'
import * as z from 'zod'
import { peopleEndpoints } from './endpoints/index.ts'
import { peopleBase } from './paths.ts'
import * as resources from './resources.ts'
import { streamEvents } from './stream-events.ts'

/*
 * The OpenAPI 3.1 document of the people's API, derived from its table like that of the bot interface.
 * `scripts/build-documents.mjs` converts the schemas to JSON Schema; this file is not used at run time.
 */

/** The error descriptions for people; the statuses are those of the bot interface (§7). */
const meanings: Readonly<Record<string, string>> = {
  Refused401: 'missing or wrong token, or missing or wrong key',
  Refused403:
    'not allowed: called from a web page of another origin, not in that server, no role with the permission, not the owner, not staff, or banned',
  Refused404: 'not found, or not visible to the person',
}

const ownRefusals = () =>
  Object.fromEntries(
    Object.entries(refusals())
      .filter(([name]) => name.startsWith('Refused'))
      .map(([name, refusal]) => [name, { ...refusal, description: meanings[name] ?? refusal.description }]),
  )

const isSchema = (entry: [string, unknown]): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType

/** The named schemas of the document: the resources of both APIs. */
const schemas = (): Record<string, z.ZodType> => ({
  ...{ Id, Time, Ok, Author, Server, Role, Channel, Category, Member, Message, Reaction, Embed, ErrorBody },
  ...Object.fromEntries(Object.entries<unknown>(resources).filter(isSchema)),
  ...Object.fromEntries(Object.entries(streamEvents).map(([type, schema]) => [streamName(type), schema])),
})

const streamName = (type: string) =>
  `Stream${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

/** `GET /stream` is not in the table, because its response does not end. */
const stream = () => ({
  get: {
    operationId: 'stream',
    tags: ['stream'],
    summary: 'Stream everything that the person can see, as Server-Sent Events',
    description: `Each event has one of the following names; its data is JSON of the schema in parentheses: ${Object.keys(
      streamEvents,
    )
      .map((type) => `\`${type}\` (${streamName(type)})`)
      .join(', ')}.`,
    security: [{ personToken: [] }, {}],
    requestParams: {
      query: z.object({
        token: z.string().optional().describe('The token, for clients that cannot send headers, such as EventSource.'),
      }),
    },
    responses: {
      '200': { description: 'The stream. It stays open.', content: { 'text/event-stream': { schema: z.string() } } },
      '401': { $ref: '#/components/responses/Refused401' },
      '403': { $ref: '#/components/responses/Refused403' },
      '500': { $ref: '#/components/responses/Refused500' },
      '503': { $ref: '#/components/responses/Refused503' },
    },
  },
})

/** The whole document, with the zod schemas of the table. */
export function peopleOpenApi() {
  return {
    openapi: '3.1.0' as const,
    info: {
      title: "People's API of the local chat service",
      version: '1.0.0',
      description:
        'The API that the web page and tests use: people, servers, messages, clicks, and the Developer screen. ' +
        'It is not part of the bot interface. To sign in, choose a name. Errors have the same format as in the bot interface.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversAt(peopleBase, "The base URL of the people's API."),
    tags: [...Object.keys(peopleEndpoints), 'stream'].map((name) => ({ name })),
    // A service with a key responds with 401 to every call without it.
    paths: { ...pathsOf(peopleEndpoints, { scheme: 'personToken', always: [401] }), '/stream': stream() },
    components: {
      schemas: schemas(),
      responses: ownRefusals(),
      securitySchemes: {
        personToken: {
          type: 'apiKey' as const,
          in: 'header' as const,
          name: 'Authorization',
          description: 'The word `Person`, a space, and the token of a session: `Authorization: Person <token>`.',
        },
      },
    },
    'x-limits': limits,
  }
}
