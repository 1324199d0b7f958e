import { secretsOfEnv } from './log-redact.ts'

/** Variables as the process has them: texts. */
export type Variables = Readonly<Record<string, string | undefined>>

/** A short value would hide half of every line. */
const SHORTEST_SECRET = 8

/** The values that the log hides. */
export const envSecrets = (names: readonly string[] = [], variables: Variables): string[] =>
  names.flatMap((name) => {
    const value = variables[name] ?? ''
    return value.length < SHORTEST_SECRET ? [] : [value]
  })

/** All of an environment that no line and no file may hold: what a configuration declares, and what looks secret by its name. */
export const hiddenValues = (names: readonly string[] | undefined, variables: Variables): string[] => [
  ...envSecrets(names, variables),
  ...secretsOfEnv(variables),
]
