import type { Finding, FindingKind } from '@botwright/dev/compile'
import { keyOf } from '@botwright/dev/compile'
import type { Place, Places } from './places.ts'

/** A problem that a play has shown. */
export type Found = Omit<Finding, 'seed' | 'steps' | 'play'> & {
  /** How far the play was: later acts and lines are not part of the problem. */
  when?: Moment
}

/** How far a play is. */
export interface Moment {
  /** The newest act, -1 before the first. */
  act: number
  /** The number of lines for the reader. Undefined if another play has shown the problem. */
  lines?: number
}

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

  readonly #now: () => Moment | undefined

  /** `now`: how far the play is. */
  constructor(places: Places, now: () => Moment | undefined = () => undefined) {
    this.#places = places
    this.#now = now
  }

  add(kind: FindingKind, place: Place, text: string, when = this.#now()): void {
    const { file, line } = this.#places.withLine(place)
    const one: Found = {
      ...{ kind, file, text },
      severity: mild.has(kind) ? 'warning' : 'fault',
      ...(line !== undefined && { line }),
      ...(when && { when }),
    }
    const key = keyOf(one)
    if (!this.#found.has(key)) this.#found.set(key, one)
  }

  get all(): Found[] {
    return [...this.#found.values()]
  }
}
