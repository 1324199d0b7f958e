import type { Issue } from '../../author/state/schema.ts'
import { type PlainRequest, type PlainResponse, refused } from './plain-request.ts'
import type { RouteRules } from './route.ts'

export type ReadBody = { value: unknown } | { refusal: PlainResponse }

/** Reads the body of a request as its route declares it. */
export async function readBody({ body, headers }: PlainRequest, { body: rule }: RouteRules): Promise<ReadBody> {
  if (rule === 'bytes') return { value: body }
  const { 'content-encoding': encoding = 'identity' } = headers
  if (encoding.trim().toLowerCase() !== 'identity')
    return { refusal: refused(415, 'the body must not be compressed: send it without content-encoding') }
  if (rule === 'text') return { value: new TextDecoder().decode(body) }
  const parsed = parse(body, headers['content-type'])
  if (!rule || 'refusal' in parsed) return parsed
  const checking = rule['~standard'].validate(parsed.value)
  const checked = checking instanceof Promise ? await checking : checking
  if (!checked.issues) return { value: checked.value }
  return { refusal: refused(422, 'the body is not valid', { issues: checked.issues.map(plainIssue) }) }
}

function parse(body: Uint8Array, contentType = ''): ReadBody {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase()
  if (body.length === 0 && type === '') return { value: undefined }
  if (type === 'application/x-www-form-urlencoded') return { value: formOf(new TextDecoder().decode(body)) }
  if (type !== 'application/json' && !type.endsWith('+json'))
    return { refusal: refused(415, 'the content type must be application/json or application/x-www-form-urlencoded') }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown }
  } catch {
    return { refusal: refused(400, 'the body is not JSON') }
  }
}

/** The fields of a form: a list for those that are repeated. */
function formOf(text: string): Record<string, string | string[]> {
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]))
}

/** The fields of an issue that the sender may see: without the value, which libraries add. */
const plainIssue = ({ message, path = [] }: Issue) => ({
  path: path.map((step) => String(typeof step === 'object' ? step.key : step)),
  message,
})
