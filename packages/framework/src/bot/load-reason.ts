const codes: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
])
/** Node also names a file of an installed package so, and an alias such as `@/lib`: npm installs neither. */
const LACKING = /^Cannot find package '((?:@[a-z\d][\w.~-]*\/)?[a-z\d][\w.~-]*)'/i
/** From the packages bindings, node-gyp-build and node-pre-gyp, which look for the compiled code of others. */
const isUncompiled = (message: string): boolean =>
  message.startsWith('Could not locate the bindings file') ||
  message.startsWith('No native build was found') ||
  (message.startsWith("Cannot find module '") && message.split('\n')[0]!.endsWith(".node'"))
/** Of CommonJS, Node finds only the names that it reads in the source. */
const UNEXPORTED = /requested module '([^']+)' does not provide an export named '([^']+)'/
const FOLDER = /[\\/]node_modules[\\/]/

/** Why a module cannot be loaded: the message of the error, or the fix for a missing package, export or compiled code, or for TypeScript that Node refuses in an installed one. */
export function loadReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  const [, lacking] = LACKING.exec(message) ?? []
  if (lacking !== undefined) return `the package "${lacking}" is not installed: npm install ${lacking}`
  const [, from, name] = UNEXPORTED.exec(message) ?? []
  if (from !== undefined && !/^[./#]|:/.test(from))
    return `the package "${from}" has no export named "${name}"; if it is CommonJS, import its default export: import all from '${from}'`
  const lacksCode = isUncompiled(message)
  const place = lacksCode || codes.has((error as { code?: unknown }).code) ? placeIn(message) : undefined
  if (place && lacksCode)
    return `the package "${place.name}" has no compiled code for this machine, which its install script adds: npm rebuild ${place.name}`
  if (!place || !/\.[cm]?tsx?$/.test(place.file)) return message
  return `the package "${place.name}" exports TypeScript (${place.file}), which Node does not run from node_modules: use a version of it that is built, or make it a package of the workspace`
}

/** The first installed package that a message names, and the path in its folder. */
function placeIn(message: string): { name: string; file: string } | undefined {
  const line = message.split('\n').find((one) => FOLDER.test(one))
  if (line === undefined) return undefined
  const parts = line.split(FOLDER).at(-1)!.replace(/"$/, '').split(/[\\/]/)
  const name = parts.splice(0, parts[0]!.startsWith('@') ? 2 : 1).join('/')
  return { name, file: parts.join('/') }
}
