import type { Definition } from '../../author/files/entries.ts'
import type { RouteFacts } from './route.ts'

/** A route, as the runtime knows it. */
export interface KnownRoute extends RouteFacts {
  name: string
  file: string
}

interface Row {
  segments: readonly string[]
  methods: Map<string, KnownRoute>
}

/** A route with the params of a path, or the methods that the path has. */
export type Found = { route: KnownRoute; params: Record<string, string> } | { methods: readonly string[] }

/** The routes of a bot, by their paths. */
export class RouteTable {
  readonly #rows: Row[] = []
  readonly #names: ReadonlyMap<string, KnownRoute>

  constructor(definitions: readonly Definition[]) {
    const routes = definitions
      .filter(({ kind }) => kind === 'route')
      .map(({ name, file, facts }): KnownRoute => ({ name, file, ...(facts as RouteFacts) }))
    this.#names = new Map(routes.map((route) => [route.name, route]))
    const rows = new Map<string, Row>()
    for (const route of routes) {
      const [method = '', path = ''] = route.name.split(' ')
      const row = rows.get(path) ?? { segments: path.split('/'), methods: new Map<string, KnownRoute>() }
      row.methods.set(method, route)
      rows.set(path, row)
    }
    // A fixed part of a path comes before a param.
    const order = ({ segments }: Row) => segments.map((one) => (isParam(one) ? '~' : one)).join('/')
    this.#rows = [...rows.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
  }

  get routes(): readonly KnownRoute[] {
    return [...this.#names.values()]
  }

  byName(name: string): KnownRoute | undefined {
    return this.#names.get(name)
  }

  /** Finds the route of a path. Undefined: there is none. */
  find(method: string, path: string): Found | undefined {
    const given = path.split('/')
    const methods = new Set<string>()
    for (const row of this.#rows) {
      const params = paramsOf(row.segments, given)
      if (!params) continue
      const route = row.methods.get(method)
      if (route) return { route, params }
      for (const one of row.methods.keys()) methods.add(one)
    }
    return methods.size === 0 ? undefined : { methods: [...methods].sort() }
  }
}

const isParam = (segment: string): boolean => segment.startsWith('[')

function paramsOf(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, segment] of segments.entries()) {
    const text = decoded(given[i]!)
    if (!isParam(segment)) {
      if (segment !== given[i]) return undefined
    } else if (text === undefined || text === '') return undefined
    else params[segment.slice(1, -1)] = text
  }
  return params
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
