import { hideLearned } from './learned-secrets.ts'
import { formsOf, SHORTEST_SECRET } from './secret-forms.ts'

/** What stands in a secret's place. */
export const HIDDEN = '[secret]'

/** Secrets by their form: tokens in headers, and in the paths of callbacks and channel webhooks (§5). */
const patterns: readonly [RegExp, string][] = [
  [/\bBot\s+[A-Za-z0-9._~+/=-]{8,}/g, `Bot ${HIDDEN}`],
  [/(\/interactions\/[^/\s"]+\/)[^/\s"]+(\/callback)/g, `$1${HIDDEN}$2`],
  // Also where an address stands in another one.
  [/((?:\/|%(?:25)*2F)webhooks(?:\/|%(?:25)*2F)[^/\s"%]+(?:\/|%(?:25)*2F))[^/\s"'`?\\%]+/gi, `$1${HIDDEN}`],
  [/("(?:token|secret|authorization)":")(?:[^"\\]|\\.)+(")/gi, `$1${HIDDEN}$2`],
]

/** Makes the function that takes every secret out of a line before it leaves the process. */
export function createRedactor(secrets: readonly (string | undefined)[]): (text: string) => string {
  const exact = secrets
    .filter((secret) => secret !== undefined)
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .flatMap(formsOf)
  return (text) => {
    let clean = text
    for (const secret of exact) clean = clean.replaceAll(secret, HIDDEN)
    clean = hideLearned(clean, HIDDEN)
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement)
    return clean
  }
}

/** Names of variables that hold what nobody else may read. */
const secretName = /TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|WEBHOOK|(?:^|_)KEY(?:$|_)/i

/** The values of an environment that look secret by their names. */
export const secretsOfEnv = (env: Readonly<Record<string, string | undefined>>): (string | undefined)[] =>
  Object.entries(env).map(([name, value]) => (secretName.test(name) ? value : undefined))
