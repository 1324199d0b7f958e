import { extname } from 'node:path'

/** Placeholder in an emitted import for the version of the imported file; as long as a version, so that columns stay correct. */
export const unversioned = '@@@@@@'

const moduleExtensions = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.tsx', '.jsx'])

/** Files that an import yields as a string. */
export const textExtensions = ['.txt', '.md', '.html', '.sql'] as const

export const isModule = (path: string): boolean => moduleExtensions.has(extname(path))

/** The names with which CommonJS asks for its location, or for that of a file beside it. */
export const locationNames = /\b(?:__(?:dir|file)name|require\.resolve)\b/

/** Code runs elsewhere than its source: `require.resolve` of CommonJS begins at the source. `filename`: the code of its path. */
export const resolveOfSource = {
  define: { 'require.resolve': '__botwright_resolve' },
  declare: (filename: string) =>
    `const __botwright_resolve = require('node:module').createRequire(${filename}).resolve;`,
} as const

/** The namespace of the interop with a CommonJS file or JSON: the path is the specifier of its emitted module. */
export const interop = 'botwright-interop'

/** The location of a source file's JavaScript below the output folder. Files outside the bot's folder stay below it too. */
export function emittedPath(file: string, version: string): string {
  return `${outward(file)}.${version}${emittedExtension(file)}`
}

/** Node loads the module of a CommonJS file as CommonJS. */
export const emittedExtension = (file: string): '.cjs' | '.mjs' => (isCommonJs(file) ? '.cjs' : '.mjs')

/**
 * A path below the output folder; only a path that leaves the bot's folder begins with `../`. No folder in it is called `node_modules`:
 * Node would look there for the packages that the modules import.
 */
export const outward = (file: string): string =>
  eachName(
    file.replace(/^(?:\.\.\/)+/, (up) => up.replaceAll('../', '_up/')),
    (name) => (/^_*node_modules$/.test(name) ? `_${name}` : name),
  )
/** The file of such a path. */
export const inward = (path: string): string =>
  eachName(path, (name) => (/^_+node_modules$/.test(name) ? name.slice(1) : name)).replace(/^(?:_up\/)+/, (up) =>
    up.replaceAll('_up/', '../'),
  )

const eachName = (path: string, change: (name: string) => string): string => path.split('/').map(change).join('/')

/** Whether a file is CommonJS by its name. */
export const isCommonJs = (path: string): boolean => /\.c[jt]s$/.test(path)

/** Whether a file is JSON by its name. */
export const isJson = (path: string): boolean => extname(path) === '.json'

/** The file that `require` loads for the emitted module of JSON, or the import of that file. */
export const requiredJson = (module: string): string => module.replace(/\.mjs("?)$/, '.cjs$1')

/** A path as an import names it: a URL, so that a name may have any character, and no output has to quote one. */
export const encoded = (path: string): string =>
  path.split('/').map(encodeURIComponent).join('/').replaceAll('%40', '@').replaceAll("'", '%27')

/** The path that an import of an emitted module names. */
export const decoded = (specifier: string): string => decodeURIComponent(specifier)

/** The source file of an emitted path or import, or undefined if it is none. */
export function sourceOfEmitted(path: string): string | undefined {
  const emitted = /^(.+)\.[0-9a-z@]{6}\.[cm]js$/.exec(path)?.[1]
  return emitted === undefined ? undefined : inward(emitted)
}
