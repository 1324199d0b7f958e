import { type Issue, misfitTexts } from './misfit.ts'

/** A schema's result: its output, or its issues. */
export type Checked<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

/** Any schema of the standard that zod, valibot and arktype share (standardschema.dev). It must accept its own output: a stored value is checked again when it is read. */
export interface Schema<T, Input = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Checked<T> | Promise<Checked<T>>
    /** Its input type, if its library provides it. */
    readonly types?: { readonly input: Input } | undefined
  }
}

/** The schema's output, or its problems: a sentence for each field. */
export async function checkWith<T>(schema: Schema<T>, value: unknown): Promise<{ value: T } | { problem: string }> {
  const checking = schema['~standard'].validate(value)
  const checked = checking instanceof Promise ? await checking : checking
  if (!checked.issues) return { value: checked.value }
  return { problem: misfitTexts(checked.issues, value).join('; ') }
}
