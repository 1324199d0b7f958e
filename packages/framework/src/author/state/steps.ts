// The types of migrations: what a step gives is what the next one takes.

import type { Migrations } from './record.ts'

/** The version behind a version: `Next[1]` is 2. A state of more versions has its later steps checked when they run. */
type Next = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]

type TakenBy<Step> = Step extends (old: infer Old) => unknown ? Old : never

/** What the step of a version has to give: what the next one takes, or, where there is none, what the schema takes. */
type Given<M, K, Last> = K extends keyof Next & keyof M
  ? Next[K] extends keyof M
    ? TakenBy<M[Next[K] & keyof M]>
    : Last
  : unknown

/** Migrations of which each fits the next, and the last one the values of today. */
export type Steps<M extends Migrations, Last> = {
  readonly [K in keyof M]: (old: TakenBy<M[K]>) => Given<M, K, Last> | Promise<Given<M, K, Last>>
}
