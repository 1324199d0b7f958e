import { printableLine } from '@botwright/protocol/facts'
import { differing } from '@botwright/framework/replay'
import { sameText } from './compare.ts'

const LONGEST = 200

/**
 * The first field in which the inputs of two lists of calls differ, except for random parts, as a line for each:
 * `embeds.0.title: "Tea"`. Undefined if there is none.
 */
export function firstDifference(
  before: readonly unknown[],
  after: readonly unknown[],
): { before: string; after: string } | undefined {
  for (let call = 0; call < Math.max(before.length, after.length); call++) {
    const at = differenceIn(before[call], after[call], [])
    if (!at) continue
    const path = at.path.join('.') || 'answer'
    const [one, other] = differing(printableLine(at.before), printableLine(at.after), LONGEST)
    return { before: `${path}: ${one}`, after: `${path}: ${other}` }
  }
  return undefined
}

function differenceIn(
  before: unknown,
  after: unknown,
  path: readonly string[],
): { path: readonly string[]; before: string; after: string } | undefined {
  const [one, other] = [JSON.stringify(before) ?? 'nothing', JSON.stringify(after) ?? 'nothing']
  if (sameText(one, other)) return undefined
  if (!isObject(before) || !isObject(after)) return { path, before: one, after: other }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const found = differenceIn(before[key], after[key], [...path, key])
    if (found) return found
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
