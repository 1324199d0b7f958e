const UNSTRIPPED = ['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING']
/** Node also names a file of an installed package so, and an alias such as `@/lib`: npm installs neither. */
const LACKING = /^Cannot find package '((?:@[a-z\d][\w.~-]*\/)?[a-z\d][\w.~-]*)'/i
/** From the packages bindings, node-gyp-build and node-pre-gyp, which look for the compiled code of others. */
const UNCOMPILED =
  /^(?:Could not locate the bindings file|No native build was found|Cannot find module '[^'\n]*\.node'(?:\n|$))/
/** The message of Node about a missing export: its module and its name. Of CommonJS, Node finds only the names that it reads in the source. */
export const UNEXPORTED = /requested module '([^']+)' does not provide an export named '([^']+)'/
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
  const lacksCode = UNCOMPILED.test(message)
  const line = message.split('\n').find((one) => FOLDER.test(one))
  if (line === undefined || (!lacksCode && !UNSTRIPPED.includes((error as NodeJS.ErrnoException).code ?? '')))
    return message
  const parts = line.split(FOLDER).at(-1)!.replace(/"$/, '').split(/[\\/]/)
  const owner = parts.splice(0, parts[0]!.startsWith('@') ? 2 : 1).join('/')
  if (lacksCode)
    return `the package "${owner}" has no compiled code for this machine, which its install script adds: npm rebuild ${owner}`
  const file = parts.join('/')
  if (!/\.[cm]?tsx?$/.test(file)) return message
  return `the package "${owner}" exports TypeScript (${file}), which Node does not run from node_modules: use a version of it that is built, or make it a package of the workspace`
}
