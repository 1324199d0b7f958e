import { type ApiDocument, lookUp, nameOf, type Schema, withoutNull } from './document.ts'
import { html, type Markup, type Part, prose } from './markup.ts'

const code = (value: unknown): Markup => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

const joined = (parts: Part[], between: string): Part[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]))

/** The type of a value in words; named schemas link to their own section. */
export function typeOf(schema: Schema): Part {
  const { schema: plain, nullable } = withoutNull(schema)
  return nullable ? [plainType(plain), ' or null'] : plainType(plain)
}

function plainType(schema: Schema): Part {
  const name = nameOf(schema)
  if (name === 'Id') return 'uuid'
  if (name === 'Time') return 'time'
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return joined(schema.enum.map(code), ' · ')
  const choices = schema.oneOf ?? schema.anyOf
  if (choices) return joined(choices.map(typeOf), ' or ')
  if (schema.type === 'array') return ['list of ', schema.items ? typeOf(schema.items) : 'anything']
  if (schema.format === 'uri') return 'link'
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return schema.type ?? 'anything'
}

/** The limits and notes of a value. */
function notesOf(schema: Schema): Part[] {
  const { schema: plain } = withoutNull(schema)
  const notes: Part[] = []
  const range = (low: number | undefined, high: number | undefined, unit: string) => {
    if (high === undefined)
      return low !== undefined && low > 0 && unit === '' ? notes.push(`at least ${low}`) : undefined
    notes.push(low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`)
  }
  range(plain.minLength, plain.maxLength, ' characters')
  range(plain.minItems, plain.maxItems, ' entries')
  range(plain.minimum, plain.maximum, '')
  if (plain.default !== undefined) notes.push(['default ', code(plain.default)])
  const description = schema.description ?? plain.description
  if (description !== undefined) notes.push(prose(description))
  return joined(notes, '; ')
}

interface Row {
  name: string
  schema: Schema
  required: boolean
  description?: string
}

const rowsOf = ({ properties = {}, required = [] }: Schema): Row[] =>
  Object.entries(properties)
    .filter(([, schema]) => schema.not === undefined)
    .map(([name, schema]) => ({ name, schema, required: required.includes(name) }))

/** Renders names, types and notes. Marks required fields of requests and optional fields of responses (`answer`). */
export function fieldList(rows: Row[], { answer = false } = {}): Part {
  if (rows.length === 0) return null
  return html`<dl class="fields">
    ${rows.map(({ name, schema, required, description }) => {
      const notes = notesOf(description === undefined || schema.description ? schema : { ...schema, description })
      const inner = innerOf(schema)
      return html`<div>
        <dt>
          <code>${name}</code> <span class="type">${typeOf(schema)}</span>${
            answer
              ? !required && html` <span class="mark">optional</span>`
              : required && html` <span class="mark must">required</span>`
          }
        </dt>
        ${notes.length > 0 && html`<dd>${notes}</dd>`}
        ${inner && html`<dd class="inner">${fieldList(rowsOf(inner), { answer })}</dd>`}
      </div>`
    })}
  </dl>`
}

/** The unnamed object in a field, whose fields are listed below that field. */
function innerOf(schema: Schema): Schema | undefined {
  const { schema: plain } = withoutNull(schema)
  if (plain.properties) return plain
  return plain.items && innerOf(plain.items)
}

/** The fields of a body: of an object, of each variant of a union, or of the referenced schema. */
export function bodyFields(document: ApiDocument, schema: Schema, { answer = false } = {}): Part {
  const found = lookUp(document, schema)
  const forms = found.oneOf ?? found.anyOf
  if (forms?.every((form) => lookUp(document, form).properties)) {
    return forms.map((form) => {
      const shape = lookUp(document, form)
      const [key, value] =
        Object.entries(shape.properties!).find(([, each]) => each.const !== undefined && each.const !== 'button') ?? []
      const choice = key ?? 'style'
      return html`<div class="form">
        <p class="form-name">With <code>${choice}</code> ${typeOf(value ?? shape.properties![choice] ?? {})}</p>
        ${fieldList(
          rowsOf(shape).filter(({ name }) => name !== key),
          { answer },
        )}
      </div>`
    })
  }
  return [
    found.description !== undefined && html`<p class="note">${prose(found.description)}</p>`,
    fieldList(rowsOf(found), { answer }),
  ]
}
