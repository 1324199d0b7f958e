import { createHash } from 'node:crypto'
import { packageVersions, readPackageJson } from '@botwright/framework/start'

/** Identifies the code of a bot: another id means that it, or a package that it depends on, has changed. */
export function codeIdOf(root: string, code: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256').update(JSON.stringify(packageVersions(root, dependenciesOf(root))))
  for (const each of code) hash.update(each).update('\0')
  return hash.digest('hex').slice(0, 12)
}

// A bot's folder needs no package.json of its own.
const dependenciesOf = (root: string): string[] => Object.keys(readPackageJson(root)?.dependencies ?? {})
