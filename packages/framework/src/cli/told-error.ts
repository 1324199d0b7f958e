import { type BotwrightError, errorPage } from '@botwright/protocol/facts'

/** What a command prints of the error that ends it: its text, and where the documentation tells more of its code. */
export const toldError = ({ code, message }: BotwrightError): string =>
  `${message}\nMore about ${code}: ${errorPage(code)}\n`
