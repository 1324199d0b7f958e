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
import { z } from 'zod'
import { peopleEndpoints } from './people-contract/index.ts'
import * as resources from './people-resources.ts'
import { streamEvents } from './stream-events.ts'

/*
 * The OpenAPI 3.1 document of the people's side, derived from its table as the bot interface's document is from its own.
 * `scripts/build-documents.mjs` turns the schemas into JSON Schema; no program at run time reads this file.
 */

/** What a refusal means to a person; the statuses are those of the bot interface (§7). */
const meanings: Readonly<Record<string, string>> = {
  Refused401: 'missing or wrong token, or missing or wrong key',
  Refused403:
    'not allowed: a web page of another origin, not in that server, no role with the permission, not its owner, not staff, or banned',
  Refused404: 'not found, or not visible to the person',
}

const ownRefusals = () =>
  Object.fromEntries(
    Object.entries(refusals())
      .filter(([name]) => name.startsWith('Refused'))
      .map(([name, refusal]) => [name, { ...refusal, description: meanings[name] ?? refusal.description }]),
  )

const isSchema = (entry: [string, unknown]): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType

/** The schemas that the document names: the resources of both sides. */
const schemas = (): Record<string, z.ZodType> => ({
  ...{ Id, Time, Ok, Author, Server, Role, Channel, Category, Member, Message, Reaction, Embed, ErrorBody },
  ...Object.fromEntries(Object.entries<unknown>(resources).filter(isSchema)),
  ...Object.fromEntries(Object.entries(streamEvents).map(([type, schema]) => [streamName(type), schema])),
})

const streamName = (type: string) =>
  `Stream${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

/** `GET /stream` stands in no table: its answer does not end. */
const stream = () => ({
  get: {
    operationId: 'stream',
    tags: ['stream'],
    summary: 'Everything that the person may see, as it happens: Server-Sent Events',
    description: `Each event has one of these names, and as its data the JSON of the schema beside it: ${Object.keys(
      streamEvents,
    )
      .map((type) => `\`${type}\` (${streamName(type)})`)
      .join(', ')}.`,
    security: [{ personToken: [] }, {}],
    requestParams: {
      query: z.object({
        token: z.string().optional().describe('The token, where no header can be sent: an EventSource in a page.'),
      }),
    },
    responses: {
      '200': { description: 'The stream, which stays open.', content: { 'text/event-stream': { schema: z.string() } } },
      '401': { $ref: '#/components/responses/Refused401' },
      '403': { $ref: '#/components/responses/Refused403' },
      '500': { $ref: '#/components/responses/Refused500' },
      '503': { $ref: '#/components/responses/Refused503' },
    },
  },
})

/** The whole document, its schemas still those of the table. */
export function peopleOpenApi() {
  return {
    openapi: '3.1.0' as const,
    info: {
      title: "The people's side of the local chat service",
      version: '1.0.0',
      description:
        'What the web page and tests call: people, servers, messages, clicks, and the Developer screen. ' +
        'It is no part of the bot interface. Signing in is choosing a name. Errors are as in the bot interface.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversAt('/people/v1', "The base URL of the people's side."),
    tags: [...Object.keys(peopleEndpoints), 'stream'].map((name) => ({ name })),
    // A service that runs with a key answers 401 to every call without it.
    paths: { ...pathsOf(peopleEndpoints, { scheme: 'personToken', always: [401] }), '/stream': stream() },
    components: {
      schemas: schemas(),
      responses: ownRefusals(),
      securitySchemes: {
        personToken: {
          type: 'apiKey' as const,
          in: 'header' as const,
          name: 'Authorization',
          description: 'The word `Person`, a space and the token of a session: `Authorization: Person <token>`.',
        },
      },
    },
    'x-limits': limits,
  }
}
