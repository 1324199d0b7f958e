import { type ApiDocument, lookUp, nameOf, type Schema, withoutNull } from '@botwright/service/reference'

/** A cell of a table: without line breaks and bars. */
export const cell = (text: string): string => text.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;')
const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** A type in words; schemas with a name link to the page of objects. */
export function typeText(schema: Schema): string {
  const { schema: plain, nullable } = withoutNull(schema)
  return nullable ? `${plainType(plain)} or null` : plainType(plain)
}

function plainType(schema: Schema): string {
  const name = nameOf(schema)
  if (name === 'Id') return 'uuid'
  if (name === 'Time') return 'time'
  if (name !== undefined) return `[${name}](/interface/objects#${name.toLowerCase()})`
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return schema.enum.map(code).join(', ')
  const choices = schema.oneOf ?? schema.anyOf
  if (choices) return choices.map(typeText).join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeText(schema.items) : 'anything'}`
  if (schema.format === 'uri') return 'link'
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return schema.type ?? 'anything'
}

function notesOf(schema: Schema): string {
  const { schema: plain } = withoutNull(schema)
  const notes: string[] = []
  const range = (low: number | undefined, high: number | undefined, unit: string) => {
    if (high !== undefined) notes.push(low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`)
    else if (low !== undefined && low > 0 && unit === '') notes.push(`at least ${low}`)
  }
  range(plain.minLength, plain.maxLength, ' characters')
  range(plain.minItems, plain.maxItems, ' entries')
  range(plain.minimum, plain.maximum, '')
  if (plain.default !== undefined) notes.push(`default ${code(plain.default)}`)
  const description = schema.description ?? plain.description
  if (description !== undefined) notes.push(description)
  return notes.join('; ')
}

export interface Row {
  name: string
  schema: Schema
  required: boolean
}

const rowsOf = ({ properties = {}, required = [] }: Schema): Row[] =>
  Object.entries(properties)
    .filter(([, schema]) => schema.not === undefined)
    .map(([name, schema]) => ({ name, schema, required: required.includes(name) }))

/** A table of fields. The fields of unnamed objects follow the field that contains them: `bot.name`. `answer`: marks fields that may be missing. */
export function fieldTable(rows: readonly Row[], { answer = false } = {}): string[] {
  if (rows.length === 0) return []
  const lines = deep(rows).map(({ name, schema, required }) => {
    const mark = answer ? (required ? '' : 'may be missing') : required ? '**required**' : ''
    const notes = [mark, notesOf(schema)].filter((note) => note !== '').join('; ')
    return `| \`${name}\` | ${cell(typeText(schema))} | ${cell(notes)} |`
  })
  return ['| Field | Type | Notes |', '| --- | --- | --- |', ...lines, '']
}

function deep(rows: readonly Row[], before = ''): Row[] {
  return rows.flatMap(({ name, schema, required }) => {
    const { schema: plain } = withoutNull(schema)
    const item = plain.type === 'array' && plain.items ? withoutNull(plain.items).schema : undefined
    const inner = plain.properties ? plain : item?.properties ? item : undefined
    const own = { name: before + name, schema, required }
    return inner ? [own, ...deep(rowsOf(inner), `${before}${name}${inner === item ? '[]' : ''}.`)] : [own]
  })
}

/** The fields of a body: of an object, or of each of its forms. */
export function bodyFields(document: ApiDocument, schema: Schema, options: { answer?: boolean } = {}): string[] {
  const found = lookUp(document, schema)
  const forms = (found.oneOf ?? found.anyOf)?.map((form) => lookUp(document, form))
  if (!forms?.every(({ properties }) => properties)) {
    return [...(found.description === undefined ? [] : [found.description, '']), ...fieldTable(rowsOf(found), options)]
  }
  return forms.flatMap((form) => {
    const [key, value] =
      Object.entries(form.properties!).find(([, each]) => each.const !== undefined && each.const !== 'button') ?? []
    const choice = key ?? 'style'
    const rows = rowsOf(form).filter(({ name }) => name !== key)
    return [
      `With \`${choice}\` ${typeText(value ?? form.properties![choice] ?? {})}:`,
      '',
      ...fieldTable(rows, options),
    ]
  })
}
