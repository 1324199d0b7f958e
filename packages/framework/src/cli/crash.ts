import { type BotwrightError, errorPage } from '@botwright/protocol/facts'
import { wholeStack } from '../link/errors/whole-error.ts'
import { cleanLine } from '../program/clean-line.ts'

/** Errors that the user can fix. They are printed without a stack, which would only hide the message. */
const expectedCodes = /^ERR_(CONFIG|ALREADY_RUNNING|CONFLICT|DEFINITION|CUSTOM_ID|UNAUTHORIZED|REFUSED|FORBIDDEN)$/

/** The output for an error that ends a command: its message and the page that documents its code. */
export const errorText = ({ code, message }: BotwrightError): string =>
  `${message}\nMore about ${code}: ${errorPage(code)}\n`

const bugs = 'npm bugs @botwright/framework'

/** The output for an error that ends the program, without secrets of the environment. Unexpected errors include where to report them. */
export function describeCrash(error: unknown, env: Readonly<Record<string, string | undefined>>): string {
  const redact = (text: string) => cleanLine(text, env)
  const { code } = (error ?? {}) as { code?: unknown }
  if (error instanceof Error && typeof code === 'string' && expectedCodes.test(code))
    return redact(`${error.message}\n`)
  const text = redact(wholeStack(error))
  return `${text}\n\nThis is an unexpected error. If the lines above name no file of your bot, please report it (${bugs}).\nValues of variables that look secret have been removed.\n`
}
