// `import()` of a path with a variable part: esbuild finds the files, and would bundle a copy of each into the importer.

import type { Plugin } from 'esbuild'
import { dirname, resolve } from 'node:path'

interface GlobOptions {
  isModule: (path: string) => boolean
  /** The specifier of the emitted module of a source. */
  specifierOf: (path: string) => string
}

/** Leaves the modules that a file finds by patterns outside of it. The file is the only entry of its build. */
export class GlobImports {
  readonly #file: string
  readonly #options: GlobOptions
  readonly #found = new Set<string>()

  /** `file`: its absolute path. */
  constructor(file: string, options: GlobOptions) {
    this.#file = file
    this.#options = options
  }

  /** The absolute paths of the found modules. */
  get modules(): readonly string[] {
    return [...this.#found]
  }

  readonly plugin: Plugin = {
    name: 'botwright-glob',
    setup: (build) =>
      // All other modules are external, so only these and the file itself are loaded.
      build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
        if (path === this.#file || !this.#options.isModule(path)) return undefined
        this.#found.add(path)
        return { contents: '' }
      }),
  }

  /** The output of esbuild, whose table of the found files imports the emitted modules. */
  codeOf(output: string): string {
    const code = rejecting([output])[0]!
    if (this.#found.size === 0) return code
    return code
      .split('\n')
      .map((line) => this.#lineOf(line))
      .join('\n')
  }

  #lineOf(line: string): string {
    const [, start, key, value = ''] = entry.exec(line) ?? []
    const path = key === undefined ? undefined : this.#pathOf(key)
    if (path === undefined || !this.#found.has(path)) return line
    const call = value.startsWith('Promise') ? 'import' : 'require'
    const specifier = JSON.stringify(this.#options.specifierOf(path))
    return `${start}${call}(${specifier})${value.endsWith(',') ? ',' : ''}`
  }

  #pathOf(key: string): string | undefined {
    try {
      return resolve(dirname(this.#file), JSON.parse(key) as string)
    } catch {
      // Another line of the module.
      return undefined
    }
  }
}

/** esbuild's function for patterns as it is written, without and with blanks, and the same as an async function. */
const functions = [
  [
    'map=>path=>{var fn=map[path];if(fn)return fn();throw new Error("Module not found in bundle: "+path)}',
    'map=>async path=>{if(map[path])return map[path]();throw Error("Module not found in bundle: "+path)}',
  ],
  ['(map) => (path) => {', '(map) => async (path) => {'],
] as const

/**
 * The texts of a bundle in which `import()` of a pattern rejects, as in Node, if no file matches: esbuild's function throws, so that
 * `.catch()` catches nothing. `require()` throws, and uses the same function: then it stays.
 */
export function rejecting(codes: readonly string[]): string[] {
  if (codes.some((code) => code.includes('globRequire_'))) return [...codes]
  // The length stays where more code follows in the line: the columns of source maps count on it.
  return codes.map((code) =>
    functions.reduce((text, [sync, async]) => text.replace(sync, async.padEnd(sync.length)), code),
  )
}

/** An entry of the table: the path of the file, and what imports it. */
const entry = /^(\s*("(?:[^"\\]|\\.)*"): \(\) => )(.+)$/
