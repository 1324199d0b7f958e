import type { Hono } from 'hono'
import { readDocument } from '../http/serve-documents.ts'
import { compressed } from '../http/serve-page.ts'
import { errors, events, introduction, limitTable } from './chapters.ts'
import { type ApiDocument, type Endpoint, endpointsOf, words } from './document.ts'
import { html, type Markup } from './markup.ts'
import { schemas } from './objects.ts'
import { anchorOf, groupSection, methodBadge } from './operation.ts'

const byGroup = (document: ApiDocument): [name: string, endpoints: Endpoint[]][] => {
  const all = endpointsOf(document)
  return document.tags.map(({ name }) => [name, all.filter(({ operation }) => operation.tags.includes(name))])
}

const chapters = [
  ['start', 'Introduction'],
  ['authentication', 'Authentication'],
  ['event-types', 'Event types'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
  ['objects', 'Objects'],
] as const

function navigation(document: ApiDocument): Markup {
  return html`<nav aria-label="Reference">
    <ul>
      ${chapters.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
    ${byGroup(document).map(
      ([name, endpoints]) =>
        html`<h2><a href="#${name}">${words(name)}</a></h2>
          <ul>
            ${endpoints.map(
              (endpoint) =>
                html`<li>
                  <a href="#${anchorOf(endpoint)}"
                    >${methodBadge(endpoint.method)}<span
                      >${words(endpoint.operation.operationId.split('.')[1]!)}</span
                    ></a
                  >
                </li>`,
            )}
          </ul>`,
    )}
  </nav>`
}

/** The whole page: no script, one style sheet, which scripts/build-page.mjs makes of reference.css. */
function referencePage(document: ApiDocument): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title} – reference</title>
        <link rel="stylesheet" href="/assets/reference.css" />
      </head>
      <body>
        <a class="skip" href="#start">Skip to the reference</a>
        <header>
          <a class="home" href="/">Chat</a><span class="title">${document.info.title}</span
          ><span class="version">v${document.info.version}</span>
          <a class="document" href="/developers/openapi.json">OpenAPI 3.1</a>
        </header>
        <div class="columns">
          <aside>
            <input type="checkbox" id="contents" /><label for="contents">Contents</label>${navigation(document)}
          </aside>
          <main>
            ${introduction(document)}
            ${byGroup(document).map(([name, endpoints]) => groupSection(document, name, endpoints))} ${events(document)}
            ${errors()} ${limitTable(document)} ${schemas(document)}
          </main>
        </div>
      </body>
    </html> `
  return page.markup
}

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

/** Serves `/developers/`, rendered from the document on the first request. */
export function serveReference(app: Hono): void {
  let page: string | undefined
  app.get('/developers', (context) => context.redirect('/developers/', 308))
  app.get('/developers/', ...compressed, async (context) => {
    page ??= referencePage(JSON.parse(await readDocument('/developers/openapi.json')) as ApiDocument)
    return context.body(page, 200, { ...headers, 'content-type': 'text/html; charset=utf-8' })
  })
}
