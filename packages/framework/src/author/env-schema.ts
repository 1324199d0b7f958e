/**
 * What `env` of a `bot.config.ts` is: `z.object({ … })`, with one field for each variable. Known by its look, because the bot's zod
 * may be another copy than this package's.
 */
export interface EnvSchema {
  readonly shape: Readonly<Record<string, unknown>>
  /** Carries the types of the values; see https://standardschema.dev. */
  readonly '~standard': { readonly types?: { readonly output: unknown } | undefined }
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: { issues: readonly EnvIssue[] } }
}

/** What zod finds wrong with a value. */
export interface EnvIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The values of the variables that a bot declares, by their names. Plain data: it travels to worker threads. */
export type EnvValues = Readonly<Record<string, unknown>>

/** The types of the values that a configuration declares; what the generated `.framework/types.d.ts` writes down. */
export type EnvOf<C extends { default: { env?: EnvSchema } }> = Readonly<
  NonNullable<NonNullable<C['default']['env']>['~standard']['types']>['output']
>

export function isEnvSchema(value: unknown): value is EnvSchema {
  if (typeof value !== 'object' || value === null) return false
  const { shape, safeParse } = value as Partial<EnvSchema>
  return typeof shape === 'object' && shape !== null && typeof safeParse === 'function'
}
