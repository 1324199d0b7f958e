import { BotwrightError } from '@botwright/protocol/facts'
import { allLostInJson, lostInJson } from './plain-data.ts'
import { checkWith, type Schema } from './schema.ts'
import type { AnyScope } from './scope.ts'

/** The rules that a declared state has for its values. */
export interface Rules<T = unknown> {
  /** For messages: `state "points" (state/points.ts)`. */
  readonly label: string
  readonly version: number
  readonly schema?: Schema<T> | undefined
  readonly migrate?: Migrations | undefined
  readonly expiresMs?: number | undefined
  readonly initial?: (() => T) | undefined
}

/** `migrate[1]` converts a value of version 1 to version 2, sync or async. */
export type Migrations = Readonly<Record<number, (old: never) => unknown>>

// The name of the person or channel with this id, for messages: `ann`, `#general`. Undefined if it is not known.
export type OwnerName = (id: string) => string | undefined

// The key of a value.
export interface ValueKey {
  readonly key: string
  readonly nameOf?: OwnerName | undefined
}

/** A stored value with the version of the declaration that wrote it. */
interface VersionedRecord {
  v: number
  value: unknown
}

/** The problem with the migration steps; undefined if all exist. */
export function migrationsProblem(version: unknown, migrate: Migrations = {}): string | undefined {
  if (!Number.isSafeInteger(version) || (version as number) < 1) return 'version must be a whole number of at least 1'
  const steps = Object.keys(migrate).map(Number)
  const invalid = steps.find((step) => !Number.isSafeInteger(step) || step < 1 || step >= (version as number))
  if (invalid !== undefined)
    return `migrate has a step ${invalid}, but version ${String(version)} needs only the steps 1 to ${Number(version) - 1}`
  for (let step = 1; step < (version as number); step++)
    if (!steps.includes(step)) return `migrate has no step ${step}: values written by version ${step} could not be read`
  return undefined
}

/** Prepares a value for storing. Throws `ERR_STATE_VALUE` if it does not fit, or could not be read again. */
export async function toRecord<T>(rules: Rules<T>, at: ValueKey, value: T): Promise<VersionedRecord> {
  if (value === undefined) throw misfit(rules, at, 'cannot be set to undefined: use delete() to remove it')
  const unstorable = (lost: string) =>
    misfit(rules, at, `cannot be set: ${lost}, which JSON cannot store; ${plainData}`)
  if (!rules.schema) {
    const lost = lostInJson(value)
    if (lost !== undefined) throw unstorable(lost)
    return { v: rules.version, value }
  }
  const checked = await checkWith(rules.schema, value)
  if ('problem' in checked) throw misfit(rules, at, `cannot be set: ${checked.problem}`)
  const again = await checkWith(rules.schema, fromJson(checked.value))
  if ('problem' in again)
    throw misfit(
      rules,
      at,
      `cannot be set: its schema does not accept it after a round trip through JSON: ${again.problem}. The schema must accept its own output, as z.coerce.date() does; use lists for sets, and records for maps`,
    )
  // A schema that accepts anything also accepts what JSON has made of a value.
  const [lost] = lostBetween(checked.value, again.value)
  if (lost !== undefined) throw unstorable(lost)
  return { v: rules.version, value: checked.value }
}

/** The parts that JSON cannot represent, and that the schema does not read back. */
function lostBetween(value: unknown, again: unknown): string[] {
  const lost = allLostInJson(value)
  if (lost.length === 0) return lost
  const read = new Set(allLostInJson(again))
  return lost.filter((part) => !read.has(part))
}

/** A value as a store returns it. */
export function fromJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown
  } catch {
    // The store reports values that JSON cannot represent.
    return value
  }
}

/** The fix for a value that JSON cannot represent. */
export const plainData = 'keep plain data, or give it a schema that reads it back, as z.coerce.date() does'

/** Reads a stored value in its current form. Throws `ERR_STATE_VALUE` if that is impossible. */
export async function fromRecord<T>(rules: Rules<T>, at: ValueKey, stored: unknown): Promise<T> {
  if (typeof stored !== 'object' || stored === null || !('value' in stored))
    throw misfit(rules, at, 'was not written by this framework')
  let { v = 1, value } = stored as { v?: number; value: unknown }
  if (v > rules.version)
    throw misfit(
      rules,
      at,
      `was written by a newer version of the bot (${v}; this one is ${rules.version}): start the newer one`,
    )
  const writtenBy = v
  for (; v < rules.version; v++) value = await migrated(rules, at, v, value)
  if (!rules.schema) return value as T
  const checked = await checkWith(rules.schema, value)
  if ('problem' in checked) throw misfit(rules, at, `${misfitFact(rules.version, writtenBy)}: ${checked.problem}`)
  return checked.value
}

/** Why a stored value does not fit, and the fix. */
function misfitFact(version: number, writtenBy: number): string {
  if (writtenBy < version)
    return `was written by version ${writtenBy}, and the result of migrate[${version - 1}] does not match the schema (correct that step)`
  return `no longer matches its schema (raise version to ${version + 1}, and add migrate[${version}])`
}

async function migrated(rules: Rules, at: ValueKey, version: number, value: unknown): Promise<unknown> {
  try {
    return await rules.migrate![version]!(value as never)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw misfit(rules, at, `could not be migrated from version ${version}: ${reason}`, error)
  }
}

/** The key without the part that all keys of the state share: its owner, with the names that are known. */
function misfit({ label }: Rules, { key, nameOf }: ValueKey, fact: string, cause?: unknown): BotwrightError {
  const owners = key.split(':').slice(3)
  const named = owners.map((id) => {
    const name = nameOf?.(id)
    return name === undefined ? id : `${name} (${id})`
  })
  return new BotwrightError('ERR_STATE_VALUE', `${label}: the value of ${named.join(':') || 'the bot'} ${fact}`, {
    cause,
  })
}

// The types of migrations: the output of a step is the input of the next one.
/** The version after a version: `Next[1]` is 2. Later steps of a state with more versions are checked at run time. */
type Next = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]

type TakenBy<Step> = Step extends (old: infer Old) => unknown ? Old : never

/** The output type of a version's step: the input of the next step or, for the last one, of the schema. */
type StepResult<M, K, Last> = K extends keyof Next & keyof M
  ? Next[K] extends keyof M
    ? TakenBy<M[Next[K] & keyof M]>
    : Last
  : unknown

/** Migrations of which each fits the next, and the last one the current values. */
export type Steps<M extends Migrations, Last> = {
  readonly [K in keyof M]: (old: TakenBy<M[K]>) => StepResult<M, K, Last> | Promise<StepResult<M, K, Last>>
}

/** The fields of a state that the framework reads. */
export interface DeclaredState {
  readonly scope: AnyScope
  readonly rules: Rules
}

/** The field of a state with its rules. Shared by every copy of this package in one process. */
export const rulesOf: unique symbol = Symbol.for('botwright.state') as never

/** The bot's declared states, by name. */
export type DeclaredStates = ReadonlyMap<string, DeclaredState>

export const isState = <T extends object>(value: T): value is T & { readonly [rulesOf]: DeclaredState } =>
  rulesOf in value
