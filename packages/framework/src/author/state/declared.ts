import type { Rules } from './record.ts'
import type { Scope } from './scope.ts'

/** The fields of a state that the framework reads. */
export interface DeclaredState {
  readonly scope: Scope
  readonly rules: Rules
}

/** The field of a state with its rules. Shared by every copy of this package in one process. */
export const rulesOf: unique symbol = Symbol.for('botwright.state') as never

/** The bot's declared states, by name. */
export type DeclaredStates = ReadonlyMap<string, DeclaredState>

export const isState = <T extends object>(value: T): value is T & { readonly [rulesOf]: DeclaredState } =>
  rulesOf in value
