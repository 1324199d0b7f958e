import type { Defined, FormerVersion } from '../../author/definition.ts'
import type { ParamsShape } from '../../author/params/packing.ts'
import type { SpilledParams } from './spilled-params.ts'
import {
  customIdProblem,
  kindProblem,
  readVersion,
  splitCustomId,
  unpackParams,
  versionOf,
} from '../../author/buttons/custom-id.ts'

/** What a click carries; undefined when its button is outdated. `spilled` gives what stands in the store for it. */
export type ReadClick = (custom_id: string, spilled?: Pick<SpilledParams, 'read'>) => unknown

/** One shape that a click may have, and the way from there to today's parameters. */
interface Known {
  shape: ParamsShape
  migrate: ((old: never) => unknown) | undefined
}

/** Reads the clicks of a button. Its versions are told apart once, when it is loaded. */
export function clickReader({ params, versions = [] }: Defined): ReadClick {
  if (!params) {
    return (custom_id) => {
      const { mark, rest } = splitCustomId(custom_id)
      return mark === '.' ? undefined : rest
    }
  }
  const known = new Map<string, Known>()
  for (const { params: shape, migrate } of versions) known.set(versionOf(shape), { shape, migrate })
  known.set(versionOf(params), { shape: params, migrate: undefined })
  // A button that had no parameters once stands in messages as its bare name.
  const bare = versions.find((one) => Object.keys(one.params).length === 0)
  return (custom_id, spilled) => {
    const { mark, rest } = splitCustomId(custom_id)
    if (mark === '') return bare?.migrate({} as never)
    const read = mark === '.' ? readVersion(rest) : undefined
    const version = read && known.get(read.version)
    if (!version) return undefined
    return read.spilled
      ? spilled?.read(custom_id).then((packed) => carriedBy(packed, version))
      : carriedBy(read.packed, version)
  }
}

function carriedBy(packed: string | undefined, { shape, migrate }: Known): unknown {
  const carried = packed === undefined ? undefined : unpackParams(packed, shape)
  return carried && migrate ? migrate(carried as never) : carried
}

/** What is wrong with a button, if anything: told when the bot is built, not when somebody clicks. */
export function buttonProblem(
  name: string,
  { params, versions = [], spillMs }: Pick<Defined, 'params' | 'versions' | 'spillMs'>,
): string | undefined {
  if (spillMs !== undefined && !params) return 'spill has no effect without params; remove spill'
  if (spillMs === 0) return "spill cannot be 0 ms; write spill: true, or a duration: spill: '7d'"
  const now = customIdProblem(name, params, spillMs !== undefined)
  if (now !== undefined) return now
  if (!params && versions.length > 0) return 'it has former params but no params now; write params: {}'
  const seen = new Map<string, string>(params && [[versionOf(params), 'params']])
  for (const [i, one] of versions.entries()) {
    const at = `formerly (${i + 1})`
    const problem = formerProblem(one)
    if (problem !== undefined) return `${at}: ${problem}`
    const twin = seen.get(versionOf(one.params))
    if (twin !== undefined) return `${at}: has the same params as ${twin}; remove one`
    seen.set(versionOf(one.params), at)
  }
  return undefined
}

function formerProblem({ params, migrate }: FormerVersion): string | undefined {
  if (typeof params !== 'object' || params === null) return 'needs the former params'
  if (typeof migrate !== 'function') return 'needs a function that turns the former params into the current ones'
  return kindProblem(params)
}
