const codes: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
])
/** Node also names a file of an installed package so, and an alias such as `@/lib`: npm installs neither. */
const LACKING = /^Cannot find package '((?:@[a-z\d][\w.~-]*\/)?[a-z\d][\w.~-]*)'/i
const FOLDER = /[\\/]node_modules[\\/]/

/** Why a module cannot be loaded: the message of the error, or the fix for a missing package, or for TypeScript that Node refuses in an installed one. */
export function loadReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [, lacking] = LACKING.exec(error.message) ?? []
  if (lacking !== undefined) return `the package "${lacking}" is not installed: npm install ${lacking}`
  const [, ...inner] = codes.has((error as { code?: unknown }).code) ? error.message.split(FOLDER) : []
  const parts = (inner.at(-1) ?? '').replace(/"$/, '').split(/[\\/]/)
  const name = parts.splice(0, parts[0]!.startsWith('@') ? 2 : 1).join('/')
  const file = parts.join('/')
  if (!/\.[cm]?tsx?$/.test(file)) return error.message
  return `the package "${name}" exports TypeScript (${file}), which Node does not run from node_modules: use a version of it that is built, or make it a package of the workspace`
}
