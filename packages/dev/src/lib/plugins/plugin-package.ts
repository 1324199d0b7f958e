// The field `botwright` of a package.json: the plugins of the package, and what `framework add plugin` writes for them.

import { BotwrightError } from '@botwright/protocol/facts'
import { windowsProblem } from '@botwright/protocol/portable-names'
import { byEntry, isObject } from '../compile/package-import.ts'
import { LONGEST_OPTIONS } from './longest-options.ts'

/** One plugin of a package. */
export interface DeclaredPlugin {
  /** Its name in the field `exports`: `.`, or `./polls` in a package with several plugins. */
  entry: string
  /** Its `plugin.ts`, from the package's folder. */
  source: string
  /** An example of its options. */
  options?: Readonly<Record<string, unknown>>
  /** Files for the bot's folder: their paths there, and in the package. */
  copy: ReadonlyMap<string, string>
}

/** A person can still read a list of this length. */
const MOST_FILES = 20
const fields = ['source', 'options', 'copy']

/** The plugins that a package.json declares; none without the field. `file` names it in errors. Throws `ERR_CONFIG`. */
export function declaredPlugins(botwright: unknown, file: string): DeclaredPlugin[] {
  if (botwright === undefined) return []
  return Object.entries(byEntry(botwright)).map(([entry, declared]) => read(entry, declared, file))
}

function read(entry: string, declared: unknown, file: string): DeclaredPlugin {
  const field = entry === '.' ? 'botwright' : `botwright["${entry}"]`
  const fail = (fact: string): never => {
    throw new BotwrightError('ERR_CONFIG', `${file}: ${fact}`)
  }
  if (!/^\.(?:\/[\w-]+)*$/.test(entry)) fail(`${field}: write the entry as in "exports", such as "./polls"`)
  if (typeof declared === 'string') return { entry, source: declared, copy: new Map() }
  if (!isObject(declared)) return fail(`"${field}" must be the path of plugin.ts, or an object with "source"`)
  const unknown = Object.keys(declared).find((key) => !fields.includes(key))
  if (unknown !== undefined) fail(`${field} has an unknown field "${unknown}"; the fields are ${fields.join(', ')}`)
  const { source, options, copy = {} } = declared
  if (typeof source !== 'string') return fail(`${field}.source must be the path of plugin.ts`)
  if (options !== undefined && !isObject(options)) return fail(`${field}.options must be an object`)
  if (JSON.stringify(options ?? {}).length > LONGEST_OPTIONS)
    fail(`${field}.options is longer than ${LONGEST_OPTIONS} characters`)
  if (!isObject(copy)) return fail(`${field}.copy must be an object of paths: { "locales/en.json": "copy/en.json" }`)
  const files = Object.entries(copy)
  if (files.length > MOST_FILES) fail(`${field}.copy has ${files.length} files; the limit is ${MOST_FILES}`)
  for (const [to, from] of files) {
    if (!isInside(to)) fail(`${field}.copy: "${to}" is not a path inside of the bot's folder`)
    if (typeof from !== 'string' || !isInside(from))
      fail(`${field}.copy: the value of "${to}" is not a path inside of the package`)
  }
  return { entry, source, ...(options && { options }), copy: new Map(files as [string, string][]) }
}

/** Names that every system accepts, none of which leads upwards, or to packages and hidden files. */
const isInside = (path: string): boolean =>
  path.length <= 200 &&
  path.split('/').every((name) => /^[\w[-][\w.[\]-]*$/.test(name) && name !== 'node_modules') &&
  windowsProblem(path) === undefined
