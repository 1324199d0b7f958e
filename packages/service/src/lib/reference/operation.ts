import { type ApiDocument, type Endpoint, lookUp, type Schema, words } from './document.ts'
import { exampleOf } from './example.ts'
import { bodyFields, fieldList, typeOf } from './fields.ts'
import { html, type Markup, type Part, prose } from './markup.ts'

export const anchorOf = ({ operation }: Endpoint): string => operation.operationId.replace('.', '-')

export const methodBadge = (method: string): Markup =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

const pathOf = ({ path, webhook }: Endpoint): Part => [
  html`<span class="base">${webhook ? '{webhook_url}' : '{base_url}'}</span>`,
  path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? html`<span class="hole">${part}</span>` : part)),
]

const JSON_TYPE = 'application/json'

/** One endpoint: its description on one side, an example call and response on the other. */
function operationSection(document: ApiDocument, endpoint: Endpoint): Markup {
  const { method, operation } = endpoint
  const body = operation.requestBody
  const schema = body?.content[JSON_TYPE]?.schema
  return html`<article class="endpoint" id="${anchorOf(endpoint)}">
    <div class="about">
      <h3><a href="#${anchorOf(endpoint)}">${operation.summary}</a></h3>
      <p class="address">${methodBadge(method)} <code>${pathOf(endpoint)}</code></p>
      ${conditions(endpoint)} ${parameters(endpoint, 'path', 'Path')} ${parameters(endpoint, 'query', 'Query')}
      ${body && html`<h4>Body</h4>`}
      ${body && !schema && html`<p class="note">${prose(body.description ?? '')} ${joinTypes(Object.keys(body.content))}</p>`}
      ${schema && bodyFields(document, schema)}
      <h4>Responses</h4>
      ${answers(document, endpoint)}
    </div>
    <div class="sample">${sample(document, endpoint)}</div>
  </article>`
}

const joinTypes = (types: string[]): Part => [
  'As ',
  types.map((type, index) => [index > 0 && ', ', html`<code>${type}</code>`]),
  '.',
]

/** The required permission, rate limits and server flag. */
function conditions({ operation, webhook }: Endpoint): Part {
  const lines: Part[] = []
  const permission = operation['x-permission']
  if (permission !== undefined) {
    const whose = operation['x-permission-for'] === 'others' ? " for others' messages" : ''
    lines.push(html`<li class="permission">Requires a role with <code>${permission}</code>${whose}</li>`)
  }
  for (const { requests, seconds, per } of operation['x-rate-limit'] ?? []) {
    lines.push(html`<li class="rate">At most ${requests} in ${seconds} s per ${per.replaceAll('_', ' ')}</li>`)
  }
  const flag = operation['x-server-flag']
  if (flag !== undefined) lines.push(html`<li class="flag">Only on servers with <code>${flag}</code></li>`)
  if (operation.security.length === 0) {
    lines.push(
      html`<li class="open">
        No Authorization header: ${webhook ? 'the URL' : 'the token in the path'} authorizes the call
      </li>`,
    )
  }
  return (
    lines.length > 0 &&
    html`<ul class="conditions">
      ${lines}
    </ul>`
  )
}

function parameters({ operation }: Endpoint, place: string, title: string): Part {
  const found = (operation.parameters ?? []).filter((parameter) => parameter.in === place)
  if (found.length === 0) return null
  // All path parameters are required, so they are not marked.
  const rows = found.map((parameter) => ({ ...parameter, required: place !== 'path' && parameter.required === true }))
  return html`<h4>${title}</h4>
    ${fieldList(rows)}`
}

function answers(document: ApiDocument, { operation }: Endpoint): Part {
  return Object.entries(operation.responses).map(([status, answer]) => {
    const name = answer.$ref?.split('/').at(-1)
    const { description = '', content } = name === undefined ? answer : (document.components.responses[name] ?? answer)
    const schema = status.startsWith('2') ? content?.[JSON_TYPE]?.schema : undefined
    const bare = schema && lookUp(document, schema)
    return html`<div class="answer">
      <p>
        <span class="status s${status.charAt(0)}">${status}</span> ${
          schema?.$ref
            ? typeOf(schema)
            : status.startsWith('2')
              ? schema
                ? 'JSON'
                : 'No body'
              : html`<span class="why">${prose(description)}</span>`
        }
      </p>
      ${bare && !schema.$ref && bodyFields(document, schema, { answer: true })}
    </div>`
  })
}

const indented = (value: unknown) => JSON.stringify(value, null, 2)

/** An example call with curl, and its response. */
function sample(document: ApiDocument, endpoint: Endpoint): Part {
  const { method, operation, webhook } = endpoint
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${webhook ? '$WEBHOOK_URL' : '$BASE_URL'}${callPath(document, endpoint)}"`,
  ]
  if (operation.security.length > 0) lines.push('  -H "Authorization: Bot $BOT_TOKEN"')
  if (schema) {
    lines.push(
      '  -H "Content-Type: application/json"',
      `  -d '${indented(exampleOf(document, schema)).replaceAll('\n', '\n  ')}'`,
    )
  } else if (operation.requestBody) {
    lines.push('  -H "Content-Type: image/png"', '  --data-binary @picture.png')
  }
  const answer = operation.responses['200']?.content?.[JSON_TYPE]?.schema
  return [
    html`<figure>
      <figcaption>Request</figcaption>
      <pre tabindex="0"><code>${lines.join(' \\\n')}</code></pre>
    </figure>`,
    answer &&
      html`<figure>
        <figcaption>Response <span class="status s2">200</span></figcaption>
        <pre tabindex="0"><code>${indented(answerExample(document, answer))}</code></pre>
      </figure>`,
  ]
}

const answerExample = (document: ApiDocument, schema: Schema) => exampleOf(document, schema)

/** The path with the query parameters that have defaults; placeholders become shell variables. */
function callPath(document: ApiDocument, { path, operation }: Endpoint): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const query = (operation.parameters ?? []).filter((each) => each.in === 'query' && each.schema.default !== undefined)
  const text = query.map(({ name, schema }) => `${name}=${String(exampleOf(document, schema, name))}`).join('&')
  return text === '' ? filled : `${filled}?${text}`
}

/** The heading of a group and all its endpoints. */
export const groupSection = (document: ApiDocument, name: string, endpoints: Endpoint[]): Markup =>
  html`<section id="${name}">
    <h2><a href="#${name}">${words(name)}</a></h2>
    ${endpoints.map((endpoint) => operationSection(document, endpoint))}
  </section>`
