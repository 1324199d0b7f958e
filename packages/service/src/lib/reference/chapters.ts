import { errorStatuses, limits, webhookErrorCodes } from '@botwright/protocol'
import { type ApiDocument, type Schema, words } from './document.ts'
import { exampleOf } from './example.ts'
import { bodyFields } from './fields.ts'
import { html, type Markup, prose } from './markup.ts'

export const heading = (id: string, title: string): Markup => html`<h2><a href="#${id}">${title}</a></h2>`

export const sampleOf = (title: string, text: string): Markup =>
  html`<div class="sample">
    <figure>
      <figcaption>${title}</figcaption>
      <pre tabindex="0"><code>${text}</code></pre>
    </figure>
  </div>`

export const introduction = ({ info }: ApiDocument): Markup =>
  html`<section id="start" class="chapter">
    <div class="about">
      <h1>${info.title}</h1>
      <p class="lead">${prose(info.description)}</p>
      <p>
        Version ${info.version}. OpenAPI documents: <a href="/developers/openapi.json">the bot interface</a> and
        <a href="/people/openapi.json">the people's API</a>, which the web page uses.
      </p>
      <h2 id="authentication"><a href="#authentication">Authentication</a></h2>
      <p>
        Send the token of the bot with every call. The Developer screen shows it once. Generating a new token there
        invalidates the old one. A missing or wrong token results in <span class="status s4">401</span>.
      </p>
      <p>
        Bots can read, post, react and send direct messages. Everything else requires a role with the permission in that
        server. Calls for servers that the bot was not added to result in <span class="status s4">403</span>.
      </p>
    </div>
    ${sampleOf('First request', ['curl "$BASE_URL/me"', '  -H "Authorization: Bot $BOT_TOKEN"'].join(' \\\n'))}
  </section>`

/** The event types and their data, from the webhook in the document. */
function eventSchemas(document: ApiDocument): { type: string; data: Schema }[] {
  const body = document.webhooks.event.post.requestBody!.content['application/json']!.schema!
  return (body.anyOf ?? []).map(({ properties }) => ({
    type: String(properties!['event']!.const),
    data: properties!['data']!,
  }))
}

const headerNames = (document: ApiDocument): string[] =>
  (document.webhooks.event.post.parameters ?? []).filter((each) => each.in === 'header').map(({ name }) => name)

export const events = (document: ApiDocument): Markup =>
  html`<section id="event-types">
    ${heading('event-types', 'Event types')}
    <article class="endpoint">
      <div class="about">
        <p>
          Bots <a href="#events-list">poll</a> for events. They arrive in order, each id once, and are kept for
          ${limits.event_retention.seconds / 3600} hours. A bot does not receive its own messages.
          <code>channel_id</code> is null for events outside of channels, <code>server_id</code> in direct messages.
        </p>
        <h3 id="event-webhook"><a href="#event-webhook">Event webhook</a></h3>
        <p>
          ${prose(document.webhooks.event.post.description ?? '')} The bot can still poll. Deliveries have two headers:
          <code>${headerNames(document)[0]}</code> is the bot's id, <code>${headerNames(document)[1]}</code> is
          <code>sha256=</code> followed by the hex HMAC-SHA256 of the raw body, keyed with the webhook secret.
        </p>
      </div>
      ${sampleOf('As polled, and as posted to a webhook', eventExample(document))}
    </article>
    ${eventSchemas(document).map(
      ({ type, data }) =>
        html`<article class="endpoint" id="event-${type}">
          <div class="about">
            <h3>
              <a href="#event-${type}"><code>${type}</code></a>
            </h3>
            ${bodyFields(document, data, { answer: true })}
          </div>
          ${sampleOf('data', JSON.stringify(exampleOf(document, data), null, 2))}
        </article>`,
    )}
  </section>`

function eventExample(document: ApiDocument): string {
  const data = { channel_id: exampleOf(document, { format: 'uuid' }), server_id: null, '…': '…' }
  const created_at = exampleOf(document, { format: 'date-time' })
  const show = (value: object) => JSON.stringify(value, null, 2).replace('"…": "…"', '…')
  return `${show({ id: 1207, type: 'message', data, created_at })}\n\n${show({ id: 1207, event: 'message', data })}`
}

export const errors = (): Markup =>
  html`<section id="errors">
    ${heading('errors', 'Errors')}
    <article class="endpoint">
      <div class="about">
        <table>
          <thead>
            <tr>
              <th>Status</th>
              <th>Meaning</th>
            </tr>
          </thead>
          <tbody>
            ${Object.entries(errorStatuses).map(
              ([status, meaning]) =>
                html`<tr>
                  <td><span class="status s4">${status}</span></td>
                  <td>${prose(meaning)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
        <p>
          Retry a <span class="status s4">429</span> after the number of seconds in <code>Retry-After</code>. Do not
          retry if the header is missing: the same message was posted twice, or a click already has all its answers.
        </p>
        <h3 id="webhook-errors"><a href="#webhook-errors">Errors of channel webhooks</a></h3>
        <table>
          <thead>
            <tr>
              <th>Code</th>
              <th>Status</th>
              <th>Meaning</th>
            </tr>
          </thead>
          <tbody>
            ${Object.entries(webhookErrorCodes).map(
              ([code, { status, meaning }]) =>
                html`<tr>
                  <td><code>${code}</code></td>
                  <td><span class="status s4">${status}</span></td>
                  <td>${meaning}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <div class="sample">
        <figure>
          <figcaption>Error body</figcaption>
          <pre tabindex="0"><code>{
  "error": "content: must be at most 2000 characters"
}</code></pre>
        </figure>
        <figure>
          <figcaption>Error body of a rate-limited channel webhook</figcaption>
          <pre tabindex="0"><code>{
  "message": "You are being rate limited.",
  "code": 0,
  "retry_after": 1.4
}</code></pre>
        </figure>
      </div>
    </article>
  </section>`

const duration = (seconds: number): string => {
  for (const [unit, size] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`
  }
  return `${seconds} second${seconds === 1 ? '' : 's'}`
}

/** Describes one row of §8 in words. */
export function limitText(row: Record<string, number | string>): string {
  if ('requests' in row) {
    return `${row['requests']} in ${duration(Number(row['seconds']))} per ${String(row['per']).replaceAll('_', ' ')}`
  }
  const { min, max = row['characters'], ...others } = row
  if (min !== undefined) {
    const range = `${min} to ${max}${'characters' in row ? ' characters' : ''}`
    return 'default' in others ? `${range}, ${others['default']} by default` : range
  }
  return Object.entries(row)
    .map(([key, value]) => {
      const number = Number(value)
      if (key === 'bytes') return `${number / 1024 / 1024} MB`
      if (key === 'seconds') return duration(number)
      if (key.endsWith('_seconds')) return `${key.slice(0, -'_seconds'.length)}: ${duration(number)}`
      if (['characters', 'ids', 'minutes', 'rows', 'buttons', 'answers'].includes(key)) return `${number} ${key}`
      return `${key.replaceAll('_', ' ')} ${number}`
    })
    .join(', ')
}

export const limitTable = (document: ApiDocument): Markup =>
  html`<section id="limits">
    ${heading('limits', 'Limits')}
    <article class="endpoint">
      <div class="about wide">
        <p>
          A character is a Unicode code point, and 1 MB is 1,048,576 bytes. Rate limits use sliding windows. The bot
          interface does not define limits for edits, reactions, and changes to channels and profiles; the ones below
          are those of this local service.
        </p>
        <table>
          <thead>
            <tr>
              <th>Limit</th>
              <th>Value</th>
            </tr>
          </thead>
          <tbody>
            ${Object.entries(document['x-limits']).map(
              ([name, row]) =>
                html`<tr>
                  <td>${words(name)}</td>
                  <td>${limitText(row)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </article>
  </section>`
