// The types of migrations: the output of a step is the input of the next one.

import type { Migrations } from './record.ts'

/** The version after a version: `Next[1]` is 2. Later steps of a state with more versions are checked at run time. */
type Next = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]

type TakenBy<Step> = Step extends (old: infer Old) => unknown ? Old : never

/** The output type of a version's step: the input of the next step or, for the last one, of the schema. */
type Given<M, K, Last> = K extends keyof Next & keyof M
  ? Next[K] extends keyof M
    ? TakenBy<M[Next[K] & keyof M]>
    : Last
  : unknown

/** Migrations of which each fits the next, and the last one the current values. */
export type Steps<M extends Migrations, Last> = {
  readonly [K in keyof M]: (old: TakenBy<M[K]>) => Given<M, K, Last> | Promise<Given<M, K, Last>>
}
