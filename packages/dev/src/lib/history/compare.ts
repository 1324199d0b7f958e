import { isDeepStrictEqual } from 'node:util'
import { failedResults } from '@botwright/protocol/timeline'
import { answersOf, type RecordedCall, type RecordedEvent, type ReplayedEvent } from '@botwright/framework/replay'

/**
 * `same`: the answer is the same. `different`: another answer, or another file. `error`: it fails, and did not before.
 * `fixed`: it failed before, and no longer does. `unhandled`: no file handles it, then and now. `skipped`: it was not run.
 */
export type Verdict = 'same' | 'different' | 'error' | 'fixed' | 'unhandled' | 'skipped'

/** Compares an event's recorded answer with its current one. */
export function compare({ event, ...now }: ReplayedEvent): Verdict {
  if (now.result === 'skipped') return 'skipped'
  const wasUnhandled = event.result === 'none' || event.result === 'passed'
  if (wasUnhandled && now.result === 'none') return 'unhandled'
  const [failed, fails] = [failedResults.has(event.result), failedResults.has(now.result)]
  if (fails && !failed) return 'error'
  if (failed && !fails) return 'fixed'
  const failsAlike = sameText(event.error ?? '', now.error ?? '')
  return failsAlike && wasUnhandled === (now.result === 'none') && sameAnswers(event, now.calls) ? 'same' : 'different'
}

function sameAnswers(event: RecordedEvent, now: readonly RecordedCall[]): boolean {
  const [before, after] = [facts(event.calls), facts(now)]
  if (before.length !== after.length) return false
  if (sameText(JSON.stringify(before), JSON.stringify(after))) return true
  // Concurrent calls end in any order.
  const inOrder = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort()
  return isDeepStrictEqual(inOrder(before), inOrder(after))
}

const facts = (calls: readonly RecordedCall[]) =>
  answersOf(calls).map(({ name, input, code }) => ({ name, input: sorted(input), ...(code !== undefined && { code }) }))

/** The order of fields does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]))
}

/** Random parts, which differ from run to run: ids, packed ids and references of failures. */
const drawn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\(ref \w{4}\)|[A-Za-z0-9_-]{22,}/gi

/** Whether two texts are equal except for random parts: each random name must be at the same positions in both. */
export function sameText(before: string, after: string): boolean {
  if (before === after) return true
  if (before.replaceAll(drawn, '') !== after.replaceAll(drawn, '')) return false
  const [names, others] = [before.match(drawn) ?? [], after.match(drawn) ?? []]
  if (names.length !== others.length) return false
  const there = new Map<string, string>()
  const back = new Map<string, string>()
  return names.every((name, i) => {
    const other = others[i]!
    if (name.length !== other.length || (there.get(name) ?? other) !== other || (back.get(other) ?? name) !== name)
      return false
    there.set(name, other)
    back.set(other, name)
    return true
  })
}
