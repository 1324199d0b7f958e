interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a schema says of a value: the value as it gives it, or what is wrong with it. */
export type Checked<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] }

/** Any schema of the standard that zod, valibot and arktype share (standardschema.dev). It must take what it gives: a kept value is checked again when it is read. */
export interface Schema<T> {
  readonly '~standard': { readonly validate: (value: unknown) => Checked<T> | Promise<Checked<T>> }
}

/** The value as the schema gives it, or what is wrong with it: each field with its reason. */
export async function checkWith<T>(schema: Schema<T>, value: unknown): Promise<{ value: T } | { problem: string }> {
  const checking = schema['~standard'].validate(value)
  const checked = checking instanceof Promise ? await checking : checking
  if (!checked.issues) return { value: checked.value }
  return { problem: checked.issues.map(toText).join('; ') }
}

function toText({ message, path = [] }: Issue): string {
  const field = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  return field === '' ? message : `${field}: ${message}`
}
