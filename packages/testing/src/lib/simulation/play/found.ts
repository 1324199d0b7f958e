import type { Finding, FindingKind } from '@botwright/dev/compile'
import { keyOf } from '@botwright/dev/compile'
import type { Place, Places } from './places.ts'

/** A problem that a play has shown. */
export type Found = Omit<Finding, 'seed' | 'steps' | 'play'>

/** Problems that may be intended. */
const mild: ReadonlySet<FindingKind> = new Set([
  'answered_by_other',
  'many_messages',
  'repeated_message',
  'unreachable',
])

/** The problems of one play, each once. */
export class FoundList {
  readonly #found = new Map<string, Found>()
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  add(kind: FindingKind, place: Place, text: string): void {
    const { file, line } = this.#places.withLine(place)
    const one: Found = {
      ...{ kind, file, text },
      severity: mild.has(kind) ? 'warning' : 'fault',
      ...(line !== undefined && { line }),
    }
    const key = keyOf(one)
    if (!this.#found.has(key)) this.#found.set(key, one)
  }

  get all(): Found[] {
    return [...this.#found.values()]
  }
}
