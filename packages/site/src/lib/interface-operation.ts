import { type ApiDocument, type Endpoint, exampleOf, lookUp, words } from '@botwright/service/reference'
import { bodyFields, fieldTable, typeText } from './interface-fields.ts'

const JSON_TYPE = 'application/json'
const json = (value: unknown) => JSON.stringify(value, null, 2)

/** One endpoint in Markdown: its input and output, a sample call and its answer. */
export function operationText(document: ApiDocument, endpoint: Endpoint): string[] {
  const { method, path, webhook, operation } = endpoint
  const body = operation.requestBody
  const schema = body?.content[JSON_TYPE]?.schema
  return [
    `## ${words(operation.operationId.split('.')[1] ?? '')} {#${operation.operationId.replace('.', '-')}}`,
    '',
    `${operation.summary}.`,
    '',
    `\`${method} ${webhook ? '{webhook_url}' : '{base_url}'}${path}\``,
    '',
    ...(webhook ? [] : [`In a handler: \`ctx.api.${operation.operationId}(…)\``, '']),
    ...conditions(endpoint),
    ...parameters(endpoint, 'path', 'Path'),
    ...parameters(endpoint, 'query', 'Query'),
    ...(body ? ['**Body**', ''] : []),
    ...(body && !schema
      ? [
          `${body.description ?? ''} As ${Object.keys(body.content)
            .map((type) => `\`${type}\``)
            .join(', ')}.`,
          '',
        ]
      : []),
    ...(schema ? bodyFields(document, schema) : []),
    '**Responses**',
    '',
    ...answers(document, endpoint),
    ...sample(document, endpoint),
  ]
}

/** The required permission, the limits, and the servers it works on. */
function conditions({ operation, webhook }: Endpoint): string[] {
  const lines: string[] = []
  const permission = operation['x-permission']
  if (permission !== undefined) {
    const whose =
      operation['x-permission-for'] === 'others' ? " to act on others' messages, but not on the bot's own" : ''
    lines.push(`- Requires a role with \`${permission}\`${whose}.`)
  }
  for (const { requests, seconds, per } of operation['x-rate-limit'] ?? [])
    lines.push(`- At most ${requests} in ${seconds} s per ${per.replaceAll('_', ' ')}.`)
  const flag = operation['x-server-flag']
  if (flag !== undefined) lines.push(`- Only on servers with \`${flag}\`.`)
  if (operation.security.length === 0)
    lines.push(`- No Authorization header: ${webhook ? 'the URL' : 'the token in the path'} authorizes the call.`)
  return lines.length === 0 ? [] : [...lines, '']
}

function parameters({ operation }: Endpoint, where: string, title: string): string[] {
  const found = (operation.parameters ?? []).filter((parameter) => parameter.in === where)
  if (found.length === 0) return []
  const rows = found.map(({ name, schema, required, description }) => ({
    name,
    schema: description === undefined || schema.description !== undefined ? schema : { ...schema, description },
    required: where !== 'path' && required === true,
  }))
  return [`**${title}**`, '', ...fieldTable(rows)]
}

function answers(document: ApiDocument, { operation }: Endpoint): string[] {
  const lines: string[] = []
  const tables: string[] = []
  for (const [status, answer] of Object.entries(operation.responses)) {
    const name = answer.$ref?.split('/').at(-1)
    const { description = '', content } = name === undefined ? answer : (document.components.responses[name] ?? answer)
    const schema = status.startsWith('2') ? content?.[JSON_TYPE]?.schema : undefined
    const what = schema
      ? schema.$ref === undefined
        ? 'JSON'
        : typeText(schema)
      : status.startsWith('2')
        ? 'no body'
        : description
    lines.push(`- \`${status}\` ${what}`)
    if (schema && schema.$ref === undefined) tables.push(...bodyFields(document, schema, { answer: true }))
  }
  return [...lines, '', ...tables]
}

/** The call as a user would type it, and its answer. */
function sample(document: ApiDocument, endpoint: Endpoint): string[] {
  const { method, path, operation, webhook } = endpoint
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} "${webhook ? '$WEBHOOK_URL' : '$BASE_URL'}${place}"`]
  if (operation.security.length > 0) lines.push('  -H "Authorization: Bot $BOT_TOKEN"')
  if (schema) {
    const body = json(exampleOf(document, schema)).replaceAll('\n', '\n  ')
    lines.push('  -H "Content-Type: application/json"', `  -d '${body}'`)
  } else if (operation.requestBody) {
    lines.push('  -H "Content-Type: image/png"', '  --data-binary @picture.png')
  }
  const answer = operation.responses['200']?.content?.[JSON_TYPE]?.schema
  return [
    ...['```sh', lines.join(' \\\n'), '```', ''],
    ...(answer ? ['```json', json(exampleOf(document, lookUp(document, answer))), '```', ''] : []),
  ]
}
