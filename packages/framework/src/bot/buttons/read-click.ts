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

/** Returns the params of a click; undefined if its button is outdated. `spilled` reads params from the store. */
export type ReadClick = (custom_id: string, spilled?: Pick<SpilledParams, 'read'>) => unknown

/** One version of the params, and the migration from it to the current ones. */
interface Known {
  shape: ParamsShape
  migrate: ((old: never) => unknown) | undefined
}

/** Creates the reader for a button's clicks. The versions are indexed once, when the button is loaded. */
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
  // The custom_id of a former version without params is the bare name.
  const bare = versions.find((one) => Object.keys(one.params).length === 0)
  return (custom_id, spilled) => {
    const { mark, rest } = splitCustomId(custom_id)
    if (mark === '') return bare?.migrate({} as never)
    const read = mark === '.' ? readVersion(rest) : undefined
    const version = read && known.get(read.version)
    if (!version) return undefined
    return read.spilled
      ? spilled?.read(custom_id).then((packed) => migrated(packed, version))
      : migrated(read.packed, version)
  }
}

function migrated(packed: string | undefined, { shape, migrate }: Known): unknown {
  const params = packed === undefined ? undefined : unpackParams(packed, shape)
  return params && migrate ? migrate(params as never) : params
}

/** The problem with a button's definition, if any, so that the build reports it and not the first click. */
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
