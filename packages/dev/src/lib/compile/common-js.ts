// The CommonJS files of a bot, `.cjs` and `.cts`, and its JSON. As in Node, each is one instance. CommonJS has `require` and its location.

import { build, type BuildFailure, type OnLoadResult, type Plugin } from 'esbuild'
import { dirname } from 'node:path'
import { interop, resolveOfSource } from './emitted-path.ts'

/**
 * Imports emitted CommonJS by the rules of a build: Node would find names of exports only in some of them. Imports emitted JSON without
 * the attribute of JSON.
 */
export const interopPlugin: Plugin = {
  name: interop,
  setup(build) {
    build.onLoad({ filter: /.*/, namespace: interop }, ({ path }) => {
      const from = JSON.stringify(path)
      if (path.endsWith('.mjs')) return { contents: `export { default } from ${from}\n` }
      return { contents: `import exported from ${from}\nexport = exported\n`, loader: 'ts' }
    })
  },
}

/**
 * The code of JSON: what `require` loads, and the module that exports the same value, and its fields by these names. `specifier`: the
 * import of the former.
 */
export function codeOfJson(
  text: string,
  { specifier, exports }: { specifier: string; exports: readonly string[] },
): { required: string; code: string } {
  const names = exports.filter((name) => name !== 'default').map((name) => JSON.stringify(name))
  const fields = names.map((name, i) => `const _${i} = value[${name}]\n`).join('')
  const list = ['value as default', ...names.map((name, i) => `_${i} as ${name}`)].join(', ')
  return {
    required: `module.exports = JSON.parse(${JSON.stringify(text)})\n`,
    code: `import value from ${JSON.stringify(specifier)}\n${fields}export { ${list} }\n`,
  }
}

/** JavaScript in which the `import` and `export` of a `.cts` file are `require` and `exports`; `banner` comes before it. */
export async function commonJsOf(path: string, root: string, banner: string): Promise<OnLoadResult> {
  try {
    const { outputFiles } = await build({
      entryPoints: [path],
      outdir: dirname(path),
      absWorkingDir: root,
      write: false,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      sourcesContent: false,
      banner: { js: banner },
      define: resolveOfSource.define,
      logLevel: 'silent',
    })
    return { contents: outputFiles[0]!.text, loader: 'js' }
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (!errors) throw error
    return { errors }
  }
}
