// `gather` of events and commands: the author's side, and the plain data in definitions.

import { BotwrightError } from '@botwright/protocol/facts'
import type { Conditions, Defined, GatherOptions } from './definition.ts'
import { isOwnEvent } from './did-you-mean.ts'
import type { Definition, Entry } from './files/entries.ts'
import { type Duration, durationMs, durationWord } from './time/duration.ts'

/** The options as plain data. */
export interface Gather {
  quietMs: number
  maxMs: number
  per: 'user' | 'channel'
}

/** The longest `max`. */
export const LONGEST_MS = 5 * 60_000

interface Given {
  gather?: unknown
  durable?: unknown
}

/** The parts of a definition that gathers, or its problem; nothing without `gather`. */
export function gathering(
  { gather: given, durable }: Given,
  conditions?: Conditions,
): Pick<Defined, 'conditions' | 'facts' | 'problem'> {
  if (given === undefined) return {}
  try {
    const gather = readGather(given)
    const { quiet, max } = given as GatherOptions
    if (durable) refuse('gather and durable exclude each other: remove one of them')
    const rule = `gathers events per ${gather.per}: ${shown(quiet)} of quiet, ${shown(max)} at most`
    return {
      facts: { gather },
      conditions: { when: [], ...conditions, rules: [...(conditions?.rules ?? []), rule] },
      problem: gatherProblem,
    }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

function readGather(given: unknown): Gather {
  if (typeof given !== 'object' || given === null)
    refuse("gather must be an object, such as { quiet: '1.5s', max: '10s' }")
  const { quiet, max, per = 'user', ...others } = given as Partial<GatherOptions>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) refuse(`gather has an unknown field "${unknown}"; it has quiet, max and per`)
  if (per !== 'user' && per !== 'channel') refuse("gather.per must be 'user' or 'channel'")
  const quietMs = durationMs(quiet, 'gather.quiet')
  const maxMs = durationMs(max, 'gather.max')
  if (quietMs === 0 || maxMs < quietMs) refuse('gather.quiet must be longer than 0, and not longer than gather.max')
  if (maxMs > LONGEST_MS) refuse(`gather.max must not be longer than ${durationWord(LONGEST_MS)}`)
  return { quietMs, maxMs, per }
}

/** Why the event of a file cannot be gathered. */
function gatherProblem({ kind, name }: Entry): string | undefined {
  if (kind !== 'event' || !(isOwnEvent(name) || name === 'interaction' || name === 'unknown')) return undefined
  return name === 'interaction'
    ? 'gather has no effect on clicks, because the person who clicks waits for an answer; remove it'
    : `gather has no effect on "${name}"; remove it`
}

const shown = (duration: Duration): string => (typeof duration === 'number' ? durationWord(duration) : duration)

/** How a file gathers; undefined if it does not. */
export const gatherOf = ({ facts }: Pick<Definition, 'facts'>): Gather | undefined =>
  facts && 'gather' in facts ? (facts.gather as Gather) : undefined

function refuse(fact: string): never {
  throw new BotwrightError('ERR_DEFINITION', fact)
}
