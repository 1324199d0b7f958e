import { type BotwrightError, errorPage } from '@botwright/protocol/facts'
import { createRedactor, secretsOfEnv, threadWide } from '../link/redaction.ts'
import { wholeStack } from '../link/errors/whole-error.ts'

/** Refusals that their author can mend: the text tells all, and a stack would only hide it. */
const told = /^ERR_(CONFIG|ALREADY_RUNNING|CONFLICT|DEFINITION|CUSTOM_ID|UNAUTHORIZED|REFUSED|FORBIDDEN)$/

/** What else the process has learned to hide: it ends once, so it needs no more than one list. */
const learned = threadWide('crash', (): string[] => [])

/** Keeps values out of what is printed when the program ends by an error. */
export const hideInCrash = (values: readonly (string | undefined)[]): void =>
  void learned.push(...values.filter((value) => value !== undefined))

/** What is printed for people, without a secret of the environment. */
export const cleanLine = (text: string, env: Readonly<Record<string, string | undefined>>): string =>
  createRedactor([...learned, ...secretsOfEnv(env)])(text)

/** What a command prints of the error that ends it: its text, and the page that documents its code. */
export const errorText = ({ code, message }: BotwrightError): string =>
  `${message}\nMore about ${code}: ${errorPage(code)}\n`

const bugs = 'npm bugs @botwright/framework'

/** What is printed of an error that ends the program: no secret of the environment, and where to report what nobody expected. */
export function describeCrash(error: unknown, env: Readonly<Record<string, string | undefined>>): string {
  const redact = createRedactor([...learned, ...secretsOfEnv(env)])
  const { code } = (error ?? {}) as { code?: unknown }
  if (error instanceof Error && typeof code === 'string' && told.test(code)) return redact(`${error.message}\n`)
  const text = redact(wholeStack(error))
  return `${text}\n\nThis is an unexpected error. If the lines above name no file of your bot, please report it (${bugs}).\nValues of variables that look secret have been removed.\n`
}
