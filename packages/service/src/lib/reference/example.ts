import { type ApiDocument, lookUp, nameOf, type Schema, withoutNull } from './document.ts'

/** Example values by field name; all other values are derived from the type. */
const samples: Readonly<Record<string, unknown>> = {
  username: 'ann',
  display_name: 'Ann',
  author: 'ann',
  name: 'general',
  channel_name: 'general',
  content: 'Hello!',
  description: 'Shows what is in season',
  command: 'poll',
  args: 'Tea or coffee?',
  reason: 'Spam',
  custom_id: 'vote:tea',
  label: 'Tea',
  emoji: '👍',
  bio: 'Keeps the minutes.',
  activity: 'counting votes',
  error: 'content: must be at most 2000 characters',
  message: 'Cannot send an empty message',
  code: 50006,
  token: 'k3v…',
  color: '#5159d3',
  title: 'Soup of the day',
  text: 'Served until two',
  value: 'Leek and potato',
  permissions: ['manage_messages'],
  type: 'text',
  event: 'message',
  minutes: 10,
  position: 1,
  member_count: 3,
  count: 1,
  limit: 50,
  slowmode: 0,
}

const ID = '3f1c9b52-7a64-4a0e-9d1b-5c2f0f6a8e21'
const TIME = '2026-01-15T09:30:00.000Z'

/** An example value for a schema. Optional and nested parts are included only where they help. */
export function exampleOf(document: ApiDocument, schema: Schema, name = '', depth = 0): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.type === 'null') return null
  if (schema.default !== undefined) return schema.default
  if (nameOf(schema) === 'Id' || schema.format === 'uuid') return ID
  if (nameOf(schema) === 'Time' || schema.format === 'date-time') return TIME
  const { schema: plain } = withoutNull(lookUp(document, schema))
  if (plain !== schema && plain.$ref !== undefined) return exampleOf(document, plain, name, depth)
  if (plain.enum) return plain.enum[0]
  const first = plain.oneOf?.[0] ?? plain.anyOf?.[0]
  if (first) return exampleOf(document, first, name, depth)
  if (plain.properties) return objectExample(document, plain, depth)
  if (plain.type === 'array') {
    if (samples[name] !== undefined) return samples[name]
    return depth < 4 && plain.items ? [exampleOf(document, plain.items, singular(name), depth + 1)] : []
  }
  if (samples[name] !== undefined && typeof samples[name] === jsType(plain.type)) return samples[name]
  if (plain.format === 'uri') return 'https://cdn.example.com/picture.png'
  if (name.endsWith('_url') || name === 'attachment') return null
  if (plain.type === 'integer' || plain.type === 'number') return Math.max(plain.minimum ?? 1, 1)
  if (plain.type === 'boolean') return name === 'ok'
  return plain.type === 'object' ? {} : name.endsWith('_id') ? ID : 'text'
}

/** Top-level objects include optional fields that are not nested; nested objects include them only if nothing is required. */
function objectExample(document: ApiDocument, { properties = {}, required = [] }: Schema, depth: number): object {
  const shown = Object.entries(properties).filter(([key, value]) => {
    if (value.not !== undefined) return false
    if (required.includes(key)) return true
    const { schema } = withoutNull(lookUp(document, withoutNull(value).schema))
    const nested = schema.type === 'array' || schema.properties !== undefined || schema.oneOf !== undefined
    return depth === 0 ? !nested : !nested && required.length === 0
  })
  return Object.fromEntries(shown.map(([key, value]) => [key, exampleOf(document, value, key, depth + 1)]))
}

const singular = (name: string) => name.replace(/s$/, '')
const jsType = (type: Schema['type']) => (type === 'integer' ? 'number' : type)
