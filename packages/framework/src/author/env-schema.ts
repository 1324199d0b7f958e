/**
 * The type of `env` in `bot.config.ts`: `z.object({ … })`, with one field per variable. Recognized by its shape, because the bot's zod
 * may be another copy than this package's.
 */
export interface EnvSchema {
  readonly shape: Readonly<Record<string, unknown>>
  /** Contains the types of the values; see https://standardschema.dev. */
  readonly '~standard': { readonly types?: { readonly output: unknown } | undefined }
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: { issues: readonly EnvIssue[] } }
}

/** A problem that zod finds in a value. */
export interface EnvIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The values of the bot's declared variables, by name. Plain data: it is passed to worker threads. */
export type EnvValues = Readonly<Record<string, unknown>>

/** The types of the declared values, for the generated `.framework/types.d.ts`. */
export type EnvOf<C extends { default: { env?: EnvSchema } }> = Readonly<
  NonNullable<NonNullable<C['default']['env']>['~standard']['types']>['output']
>

export function isEnvSchema(value: unknown): value is EnvSchema {
  if (typeof value !== 'object' || value === null) return false
  const { shape, safeParse } = value as Partial<EnvSchema>
  return typeof shape === 'object' && shape !== null && typeof safeParse === 'function'
}

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>
