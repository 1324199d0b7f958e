const codes: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
])
const FOLDER = /[\\/]node_modules[\\/]/

/** The fix if Node does not find a package, as after a production install without it; undefined for other errors. */
export function lackingPackage(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  const [, name] = code === 'ERR_MODULE_NOT_FOUND' ? (/^Cannot find package '([^']+)'/.exec(message!) ?? []) : []
  return name === undefined ? undefined : `the package "${name}" is not installed: npm install ${name}`
}

/** Why a module cannot be loaded: the message of the error, or the fix if Node refuses the TypeScript of an installed package. */
export function loadReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const lacking = lackingPackage(error)
  if (lacking !== undefined) return lacking
  const [, ...inner] = codes.has((error as { code?: unknown }).code) ? error.message.split(FOLDER) : []
  const parts = (inner.at(-1) ?? '').replace(/"$/, '').split(/[\\/]/)
  const name = parts.splice(0, parts[0]!.startsWith('@') ? 2 : 1).join('/')
  const file = parts.join('/')
  if (!/\.[cm]?tsx?$/.test(file)) return error.message
  return `the package "${name}" exports TypeScript (${file}), which Node does not run from node_modules: use a version of it that is built, or make it a package of the workspace`
}
