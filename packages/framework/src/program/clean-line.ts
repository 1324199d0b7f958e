import { createRedactor, secretsOfEnv, threadWide } from '../link/redaction.ts'

/** More values to hide. One list per process is enough, because it crashes only once. */
const learned = threadWide('crash', (): string[] => [])

/** Hides values in the output of a crash. */
export const hideInCrash = (values: readonly (string | undefined)[]): void =>
  void learned.push(...values.filter((value) => value !== undefined))

/** Removes the secrets of the environment from a text for the terminal. */
export const cleanLine = (text: string, env: Readonly<Record<string, string | undefined>>): string =>
  createRedactor([...learned, ...secretsOfEnv(env)])(text)
