import { useState } from 'preact/hooks'
import { complete } from './completion.ts'

/** The completions at the cursor, and which of them is selected. */
export function useCompletion(text: string, cursor: number) {
  const [active, setActive] = useState<number>()
  const [closedFor, setClosedFor] = useState<string>()
  const offer = closedFor === text ? undefined : complete(text, cursor)
  const count = offer?.suggestions.length ?? 1
  // -1: nothing is selected, and Enter sends.
  const selected = Math.min(active ?? (offer?.isOptional ? -1 : 0), count - 1)
  return {
    offer,
    selected,
    select: (step: 1 | -1) => setActive((Math.max(selected, step < 0 ? 0 : -1) + step + count) % count),
    close: () => setClosedFor(text),
    /** After the text has changed. */
    reset() {
      setActive(undefined)
      setClosedFor(undefined)
    },
  }
}
