import { errorStatuses, limits, webhookErrorCodes } from '@botwright/protocol'
import { type ApiDocument, endpointsOf, exampleOf, limitText, type Schema, words } from '@botwright/service/reference'
import { bodyFields, cell } from './interface-fields.ts'
import { operationText } from './interface-operation.ts'
import type { Page } from './page.ts'

/** The pages of the bot interface, generated from the OpenAPI document that the service serves. */
export function interfacePages(document: ApiDocument): Page[] {
  const endpoints = endpointsOf(document)
  const groups = document.tags.map(({ name }) => ({
    name,
    own: endpoints.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const page = (to: string, title: string, lines: string[]): Page => ({
    to: `interface/${to}`,
    text: ['---', 'outline: 2', '---', '', `# ${title}`, '', ...lines].join('\n'),
  })
  return [
    page('', 'The bot interface', introduction(document, groups)),
    ...groups.map(({ name, own }) =>
      page(
        slug(name),
        words(name),
        own.flatMap((each) => operationText(document, each)),
      ),
    ),
    page('event-types', 'Event types', events(document)),
    page('refusals', 'Refusals', refusals()),
    page('objects', 'Objects', objects(document)),
  ]
}

const slug = (name: string) => words(name).toLowerCase().replaceAll(' ', '-')

type Groups = { name: string; own: ReturnType<typeof endpointsOf> }[]

function introduction({ info }: ApiDocument, groups: Groups): string[] {
  const rows = groups.flatMap(({ name, own }) =>
    own.map(({ method, path, operation }) => {
      const to = `/interface/${slug(name)}#${operation.operationId.replace('.', '-')}`
      return `| [${operation.summary}](${to}) | \`${method} ${path}\` | \`${operation.operationId}\` |`
    }),
  )
  return [
    `${info.description} Version ${info.version}. \`framework openapi\` prints it as an OpenAPI document.`,
    '',
    'Every call sends `Authorization: Bot <token>`. In a handler, `ctx.api` has a typed method for every endpoint. It adds the token, keeps to the limits, and retries where that is safe.',
    '',
    ...['| Endpoint | Path | Name |', '| --- | --- | --- |', ...rows, ''],
  ]
}

function events(document: ApiDocument): string[] {
  const schema = document.webhooks.event.post.requestBody!.content['application/json']!.schema!
  const kept = limits.event_retention.seconds / 3600
  const each = (schema.anyOf ?? []).flatMap(({ properties }) => {
    const type = String(properties!['event']!.const)
    const data = properties!['data'] as Schema
    const example = JSON.stringify(exampleOf(document, data), null, 2)
    return [
      `## \`${type}\` {#${type}}`,
      '',
      ...bodyFields(document, data, { answer: true }),
      '```json',
      example,
      '```',
      '',
    ]
  })
  return [
    `Events arrive by [polling](/interface/events#events-list), in order, each id once, and are kept for ${kept} hours. A bot does not receive its own messages. \`channel_id\` is null outside of a channel, \`server_id\` in direct messages.`,
    '',
    `**Event webhook.** ${document.webhooks.event.post.description ?? ''} The bot can still poll.`,
    '',
    ...each,
  ]
}

function refusals(): string[] {
  const statuses = Object.entries(errorStatuses).map(([status, meaning]) => `| ${status} | ${cell(meaning)} |`)
  const codes = Object.entries(webhookErrorCodes).map(
    ([code, { status, meaning }]) => `| ${code} | ${status} | ${meaning} |`,
  )
  return [
    'An error has the body `{ "error": "<text>" }` with an explanation. Handlers get a `BotwrightError` with a [code](/errors).',
    '',
    ...['| Status | Meaning |', '| --- | --- |', ...statuses, ''],
    'After a 429 with `Retry-After`, repeat the call after that number of seconds. Without that header, waiting does not help: the same message was posted twice, or a click already has all its answers.',
    '',
    '## Channel webhooks',
    '',
    'These have the body `{ "message": "<text>", "code": <number> }`; a 429 contains `retry_after` in seconds.',
    '',
    ...['| Code | Status | Meaning |', '| --- | --- | --- |', ...codes, ''],
  ]
}

function objects(document: ApiDocument): string[] {
  return Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    `## ${name} {#${name.toLowerCase()}}`,
    '',
    ...bodyFields(document, schema, { answer: true }),
    ...(schema.properties || schema.oneOf || schema.anyOf
      ? []
      : [`${schema.type as string}${schema.format ? `, ${schema.format}` : ''}`, '']),
  ])
}

/** The rows of §8 as a table, for the page of limits. */
export function limitRows(document: ApiDocument): string {
  const rows = Object.entries(document['x-limits']).map(([name, row]) => `| ${words(name)} | ${cell(limitText(row))} |`)
  return ['| Limit | Value |', '| --- | --- |', ...rows].join('\n')
}
