import { BotwrightError, endpointsByName, explain, hasContent, type Endpoint } from '@botwright/protocol'

/** What the table knows of an endpoint, worked out once. */
export interface Plan {
  name: string
  entry: Endpoint
  /** Texts between the path names: always one more than there are names. */
  texts: string[]
  names: string[]
  queryKeys: string[]
  /** The keys of the flat input that are not part of the body. */
  notBody: Set<string>
}

/** A request with everything but its headers. */
export interface Built {
  path: string
  body: string | null
}

const planOf = (name: string, entry: Endpoint, prefix: string): Plan => {
  const parts = `${prefix}${entry.path}`.split(/\{(\w+)\}/)
  const names = parts.filter((_, index) => index % 2 === 1)
  const queryKeys = Object.keys(entry.query?.shape ?? {})
  return {
    name,
    entry,
    texts: parts.filter((_, index) => index % 2 === 0),
    names,
    queryKeys,
    notBody: new Set([...names, ...queryKeys]),
  }
}

/** The plans of all endpoints, with the base URL's own path in front of every path. */
export const plansOf = (prefix: string): ReadonlyMap<string, Plan> =>
  new Map([...endpointsByName].map(([name, entry]) => [name, planOf(name, entry, prefix)]))

/** Refuses a call before it is sent. */
export const invalid = (endpoint: string, fact: string): BotwrightError =>
  new BotwrightError('ERR_INVALID_REQUEST', `${endpoint}: ${fact}`)

/**
 * Makes the request of a call out of its flat input. What the service would refuse is refused here (`ERR_INVALID_REQUEST`, with the
 * field); what is sent is what the caller gave, not what a schema made of it: the service cuts, not the client (§2).
 */
export function build(plan: Plan, input: Record<string, unknown>): Built {
  const { entry, name } = plan
  if (typeof input !== 'object' || input === null) throw invalid(name, 'takes one object with its fields')
  if (plan.names.length > 0) {
    const params = entry.params.safeParse(input)
    if (!params.success) throw invalid(name, explain(params.error))
  }
  let path = plan.texts[0]!
  for (let i = 0; i < plan.names.length; i++) {
    path += encodeURIComponent(input[plan.names[i]!] as string) + plan.texts[i + 1]!
  }
  if (entry.query !== undefined) path += queryOf(plan, input)
  return { path, body: entry.body === undefined ? null : bodyOf(plan, input) }
}

function queryOf(plan: Plan, input: Record<string, unknown>): string {
  const query = plan.entry.query!.safeParse(input)
  if (!query.success) throw invalid(plan.name, explain(query.error))
  let text = ''
  for (const key of plan.queryKeys) {
    const value = query.data[key] as string | number | undefined
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${key}=${encodeURIComponent(value)}`
  }
  return text
}

function bodyOf(plan: Plan, input: Record<string, unknown>): string {
  const body: Record<string, unknown> = {}
  for (const key in input) if (!plan.notBody.has(key)) body[key] = input[key]
  const checked = plan.entry.body!.safeParse(body)
  if (!checked.success) throw invalid(plan.name, explain(checked.error))
  if (edits.has(plan.name) && leavesNothing(body)) {
    throw invalid(plan.name, 'content: a message needs content or embeds; this edit would leave neither')
  }
  return JSON.stringify(body)
}

const edits = new Set(['messages.update', 'interactions.callback'])

/** Whether an edit empties the message for certain (decisions row 42): what is left out keeps a value that only the service knows. */
const leavesNothing = (body: { type?: unknown; content?: string | null; embeds?: unknown[] | null }): boolean =>
  (body.type === undefined || body.type === 'update') &&
  body.content !== undefined &&
  body.embeds !== undefined &&
  !hasContent(body)
