import { type BotwrightError, errorPage } from '@botwright/protocol/facts'
import { createRedactor, secretsOfEnv, threadWide } from '../link/redaction.ts'
import { wholeStack } from '../link/errors/whole-error.ts'

/** Errors that the user can fix. They are printed without a stack, which would only hide the message. */
const expectedCodes = /^ERR_(CONFIG|ALREADY_RUNNING|CONFLICT|DEFINITION|CUSTOM_ID|UNAUTHORIZED|REFUSED|FORBIDDEN)$/

/** More values to hide. One list per process is enough, because it crashes only once. */
const learned = threadWide('crash', (): string[] => [])

/** Hides values in the output of a crash. */
export const hideInCrash = (values: readonly (string | undefined)[]): void =>
  void learned.push(...values.filter((value) => value !== undefined))

/** Removes the secrets of the environment from a text for the terminal. */
export const cleanLine = (text: string, env: Readonly<Record<string, string | undefined>>): string =>
  createRedactor([...learned, ...secretsOfEnv(env)])(text)

/** The output for an error that ends a command: its message and the page that documents its code. */
export const errorText = ({ code, message }: BotwrightError): string =>
  `${message}\nMore about ${code}: ${errorPage(code)}\n`

const bugs = 'npm bugs @botwright/framework'

/** The output for an error that ends the program, without secrets of the environment. Unexpected errors include where to report them. */
export function describeCrash(error: unknown, env: Readonly<Record<string, string | undefined>>): string {
  const redact = createRedactor([...learned, ...secretsOfEnv(env)])
  const { code } = (error ?? {}) as { code?: unknown }
  if (error instanceof Error && typeof code === 'string' && expectedCodes.test(code))
    return redact(`${error.message}\n`)
  const text = redact(wholeStack(error))
  return `${text}\n\nThis is an unexpected error. If the lines above name no file of your bot, please report it (${bugs}).\nValues of variables that look secret have been removed.\n`
}
