import { heading, sampleOf } from './chapters.ts'
import { type ApiDocument, endpointsOf, lookUp, nameOf, type Schema } from './document.ts'
import { exampleOf } from './example.ts'
import { bodyFields } from './fields.ts'
import { html, type Markup, type Part, prose } from './markup.ts'

/** The named schemas, each with its fields. */
export function schemas(document: ApiDocument): Markup {
  const sent = sentNames(document)
  return html`<section id="objects">
    ${heading('objects', 'Objects')}
    ${Object.entries(document.components.schemas).map(([name, schema]) => article(document, name, schema, sent.has(name)))}
  </section>`
}

/** The names of all schemas in request bodies, at any depth: they mark required fields, all others mark optional ones. */
function sentNames(document: ApiDocument): Set<string> {
  const names = new Set<string>()
  const collect = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue
      names.add(name)
      collect(document.components.schemas[name])
    }
  }
  for (const { operation } of endpointsOf(document)) collect(operation.requestBody)
  return names
}

function article(document: ApiDocument, name: string, schema: Schema, isSent: boolean): Part {
  const { items } = schema
  const simple = !lookUp(document, schema).properties && !schema.oneOf && !schema.anyOf
  return html`<article class="endpoint" id="schema-${name}">
    <div class="about">
      <h3><a href="#schema-${name}">${name}</a></h3>
      ${items && html`<p>A list of ${nameOf(items) ? html`<a href="#schema-${nameOf(items)}">${nameOf(items)}</a>` : 'values'}, at most ${schema.maxItems}.</p>`}
      ${simple && !items && html`<p>${schema.type}${schema.format && [', ', schema.format]}.</p>`}
      ${simple ? schema.description && html`<p class="note">${prose(schema.description)}</p>` : bodyFields(document, schema, { answer: !isSent })}
    </div>
    ${!items && !simple && sampleOf(name, JSON.stringify(exampleOf(document, schema), null, 2))}
  </article>`
}
