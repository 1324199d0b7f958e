import type { Rules } from './record.ts'
import type { Scope } from './scope.ts'

/** What the framework reads of a state. */
export interface DeclaredState {
  readonly scope: Scope
  readonly rules: Rules
}

/** Where a state carries it. Shared by every copy of this package in one process. */
export const rulesOf: unique symbol = Symbol.for('botwright.state') as never

/** The states that the bot's files declare, by name. */
export type DeclaredStates = ReadonlyMap<string, DeclaredState>

export const isState = <T extends object>(value: T): value is T & { readonly [rulesOf]: DeclaredState } =>
  rulesOf in value
