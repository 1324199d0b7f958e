import { type Issue, misfitTexts } from './misfit.ts'

/** What a schema says of a value: the value as it gives it, or what is wrong with it. */
export type Checked<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

/** Any schema of the standard that zod, valibot and arktype share (standardschema.dev). It must take what it gives: a kept value is checked again when it is read. */
export interface Schema<T, Input = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Checked<T> | Promise<Checked<T>>
    /** What it takes, where its library tells. */
    readonly types?: { readonly input: Input } | undefined
  }
}

/** The value as the schema gives it, or what is wrong with it: a sentence for each field. */
export async function checkWith<T>(schema: Schema<T>, value: unknown): Promise<{ value: T } | { problem: string }> {
  const checking = schema['~standard'].validate(value)
  const checked = checking instanceof Promise ? await checking : checking
  if (!checked.issues) return { value: checked.value }
  return { problem: misfitTexts(checked.issues, value).join('; ') }
}
