// The location of a built module is that of its source below the output folder, although esbuild moves code between files.

import type { Plugin } from 'esbuild'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { commonJsOf } from '../compile/common-js.ts'
import { isCommonJs, locationNames, outward, resolveOfSource } from '../compile/emitted-path.ts'
import { slashed } from '../files/path-below.ts'
import { moduleBeside, type PathBeside, pathsOf, withModules } from '../compile/paths-beside.ts'
import { loaderOf, ownMeta, resolverOf } from '../compile/transpile.ts'

/** The build's file that computes locations. Its `package.json` gives it a name, because no relative path is right in every chunk. */
export const placeFile = { name: 'botwright-place.mjs', specifier: '#botwright-place' } as const

export const placeCode = `import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
const root = dirname(fileURLToPath(import.meta.url))
export const require = createRequire(import.meta.url)
export function placeOf(file) {
  const filename = join(root, file)
  const url = pathToFileURL(filename).href
  return { url, filename, dirname: dirname(filename), resolve: ${resolverOf('url')} }
}
`

/** The beginning of each file of a build whose code calls `require`. */
export const requireBanner = `import { require } from '${placeFile.specifier}';`

const prefix = 'botwright-place:'

/** Gives the modules of a build their locations. `modules` receives the absolute path of each one, with the paths that it computes. */
export function placePlugin(root: string, modules: Map<string, readonly PathBeside[]>): Plugin {
  return {
    name: 'botwright-place',
    setup(build) {
      build.onResolve({ filter: /^botwright-place:/ }, ({ path }) => ({ path, namespace: prefix }))
      build.onResolve({ filter: /^#botwright-place$/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
      build.onLoad({ filter: /.*/, namespace: prefix }, ({ path }) => ({
        contents: `import { placeOf } from '${placeFile.specifier}'\nexport const ${ownMeta} = /* @__PURE__ */ placeOf(${JSON.stringify(path.slice(prefix.length))})`,
      }))
      build.onLoad({ filter: /\.[mc]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        const source = readFileSync(path, 'utf8')
        const paths = await pathsOf(source, path)
        modules.set(path, paths)
        const place = prefix + outward(slashed(relative(root, path)))
        if (isCommonJs(path)) {
          const asks = locationNames.test(source)
          return commonJsOf(
            path,
            root,
            asks
              ? `const { filename: __filename, dirname: __dirname } = require(${JSON.stringify(place)}).${ownMeta};${resolveOfSource.declare('__filename')}`
              : '',
          )
        }
        if (!source.includes('import.meta')) return undefined
        const code = withModules(source, paths, built)
        // At the end, so that lines and columns stay as they are.
        return { contents: `${code}\nimport { ${ownMeta} } from ${JSON.stringify(place)}\n`, loader: loaderOf(path) }
      })
    },
  }

  function built(_module: string, text: string): string {
    return text.replace(/\.[^./]+$/, '.mjs')
  }
}

/** The modules that others refer to by their URLs. */
export const modulesBeside = (modules: ReadonlyMap<string, readonly PathBeside[]>): string[] => [
  ...new Set([...modules.values()].flatMap((paths) => paths.flatMap((one) => moduleBeside(one) ?? []))),
]
