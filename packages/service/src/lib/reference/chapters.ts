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
        Version ${info.version}. The same as a document for programs:
        <a href="/developers/openapi.json">openapi.json</a>. What people and the web page call is described in
        <a href="/people/openapi.json">another one</a>.
      </p>
      <h2 id="authentication"><a href="#authentication">Authentication</a></h2>
      <p>
        Every call sends the token of the bot. It belongs to one bot, is shown once in the Developer screen, and dies
        when a new one is made there. A missing or wrong token gives <span class="status s4">401</span>.
      </p>
      <p>
        What a bot does beyond reading, posting, reacting and direct messages needs a role with the permission in that
        server. A bot acts only in servers to which it was added: elsewhere calls give
        <span class="status s4">403</span>.
      </p>
    </div>
    ${sampleOf('First call', ['curl "$BASE_URL/me"', '  -H "Authorization: Bot $BOT_TOKEN"'].join(' \\\n'))}
  </section>`

/** The types of events, by the delivery that the document describes. */
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
          Events arrive by <a href="#events-list">polling</a>, in order, each id once, and are kept for
          ${limits.event_retention.seconds / 3600} hours. A bot's own messages are not sent to it.
          <code>channel_id</code> is null outside of a channel, <code>server_id</code> in direct messages.
        </p>
        <h3 id="event-webhook"><a href="#event-webhook">Event webhook</a></h3>
        <p>
          ${prose(document.webhooks.event.post.description ?? '')} Polling keeps working alongside. It carries the
          headers <code>${headerNames(document)[0]}</code>, the bot's id, and <code>${headerNames(document)[1]}</code>,
          <code>sha256=</code> and the hex HMAC-SHA256 of the raw body, keyed with the webhook secret.
        </p>
      </div>
      ${sampleOf('Polled, and as a webhook', eventExample(document))}
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
          A <span class="status s4">429</span> with <code>Retry-After</code> may be repeated after so many seconds.
          Without that header waiting does not help: the same message was posted twice, or a click has had all its
          answers.
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
          <figcaption>Body of an error</figcaption>
          <pre tabindex="0"><code>{
  "error": "content: must be at most 2000 characters"
}</code></pre>
        </figure>
        <figure>
          <figcaption>Of a channel webhook, slowed down</figcaption>
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

/** The numbers of one row of §8 in words. */
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
          A character is a Unicode code point, a MB 1,048,576 bytes. Rates count in any window of that length, not by
          the clock. The interface has no numbers for edits, reactions, and changes of channels and profiles: those
          below are the service's own.
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
