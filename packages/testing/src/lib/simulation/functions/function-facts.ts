import type { MemoryStore } from '@botwright/framework'
import type { OpenService } from '@botwright/service'
import type { SimPeople } from '../people.ts'
import type { Rule } from '../rules.ts'
import type { SimWorld } from '../sim-world.ts'
import type { FunctionPlan } from './function-plan.ts'
import type { FunctionRecord } from './function-record.ts'

/** Everything that a rule of functions can look at. */
export interface FunctionFacts {
  readonly world: SimWorld
  readonly service: OpenService
  readonly people: SimPeople
  readonly botId: string
  readonly plan: FunctionPlan
  readonly record: FunctionRecord
  /** The store of all instances. */
  readonly store: MemoryStore
  /** Its rows at the end. */
  rows: readonly { key: string; value: unknown; expiresAtMs?: number }[]
}

/** A fact about functions that is always true, whatever happens. Checked when a run has ended. */
export type FunctionRule = Rule<FunctionFacts>
