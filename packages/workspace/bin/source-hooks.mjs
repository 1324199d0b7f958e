import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = new URL('../../../', import.meta.url)

/** `@botwright/protocol` → its source: the `types` of an entry name the file that it was compiled from. */
export async function resolve(specifier, context, next) {
  const [, folder, entry] = /^@botwright\/([^/]+)(\/.+)?$/.exec(specifier) ?? []
  if (folder === undefined) return next(specifier, context)
  const { exports } = JSON.parse(await readFile(new URL(`packages/${folder}/package.json`, root), 'utf8'))
  const source = exports[`.${entry ?? ''}`].types.replace(/^\.\/dist\/(?:joined\/)?(.+)\.d\.ts$/, 'src/$1.ts')
  return { url: new URL(`packages/${folder}/${source}`, root).href, shortCircuit: true }
}

const compilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  verbatimModuleSyntax: true,
  inlineSourceMap: true,
}

export async function load(url, context, next) {
  if (!/^file:.*\.ts$/.test(url)) return next(url, context)
  const text = await readFile(fileURLToPath(url), 'utf8')
  const { outputText } = ts.transpileModule(text, { fileName: fileURLToPath(url), compilerOptions })
  return { format: 'module', source: outputText, shortCircuit: true }
}
