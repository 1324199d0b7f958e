import { build, type BuildFailure, type OutputFile, type Plugin } from 'esbuild'
import { isBuiltin } from 'node:module'
import { isAbsolute, join, relative } from 'node:path'
import { lackingImports } from './lacking-modules.ts'
import { codeIdOf } from '../../compile/code-id.ts'
import { linkedPlugin } from '../../compile/package-import.ts'
import { CompileError, problemOf } from '../../compile/problem.ts'
import { commonOptions, refuseUtf16 } from '../../compile/transpile.ts'
import { loadedFiles } from '../../files/bot-folder.ts'
import { slashed } from '../../files/path-below.ts'
import type { LoadedFolder } from '../../load/loaded-folder.ts'

/** The one module of a bot. */
export interface FunctionBundle {
  files: OutputFile[]
  /** The bot's own modules, relative to its folder. */
  sources: readonly string[]
  /** Imports of packages that Workers do not have, in words. */
  lacking: readonly string[]
}

/** The name of the module. */
const functionFile = 'bot.mjs'

/** Joins the code of a bot and of its packages to one module. Rejects with a `CompileError`. */
export async function bundleFunctions(
  folder: LoadedFolder,
  {
    root,
    outDir,
    everyMs,
    pathOf,
  }: { root: string; outDir: string; everyMs: number; pathOf: (file: string) => string },
): Promise<FunctionBundle> {
  const files = loadedFiles(folder)
  const { configFile, definitions, manifest } = folder
  const contents = (codeId: string) => `import { createFunctionBot } from '@botwright/framework/functions'
export default createFunctionBot({
  manifest: ${JSON.stringify(manifest)},
  definitions: ${JSON.stringify(definitions)},
  codeId: ${JSON.stringify(codeId)},
  everyMs: ${everyMs},
  files: {
${files.map((file) => `    ${JSON.stringify(file)}: () => import(${JSON.stringify(pathOf(file))}),`).join('\n')}
  },${configFile === undefined ? '' : `\n  config: () => import(${JSON.stringify(pathOf(configFile))}),`}
})
`
  const bundle = (codeId: string) =>
    build({
      ...commonOptions,
      packages: 'bundle',
      conditions: ['botwright-functions', 'workerd', 'worker'],
      mainFields: ['module', 'main'],
      absWorkingDir: root,
      outfile: join(outDir, functionFile),
      outExtension: {},
      stdin: { contents: contents(codeId), resolveDir: root, sourcefile: 'bot of functions', loader: 'js' },
      // Packages in CommonJS require modules of Node.
      banner: {
        js: "import { createRequire as __botwright_require } from 'node:module'; const require = __botwright_require('file:///bot.mjs');",
      },
      // Workers have none, and packages look for other files of their own there.
      define: { 'import.meta.url': '"file:///bot.mjs"' },
      plugins: [linkedPlugins, refuseUtf16],
      minifyWhitespace: true,
      sourcemap: 'linked',
      sourcesContent: false,
    })
  try {
    const { outputFiles, metafile } = await bundle('')
    const sources = Object.keys(metafile.inputs).filter((path) => isOwn(path) && /\.[cm]?[jt]sx?$/.test(path))
    const id = codeIdOf(root, [outputFiles.find(({ path }) => path.endsWith(functionFile))!.contents])
    return {
      lacking: lackingImports(metafile),
      files: (await bundle(id)).outputFiles,
      sources: sources.map((path) => slashed(relative(root, join(root, path)))),
    }
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (!errors) throw error
    throw new CompileError(errors.map((message) => problemOf(message, root)))
  }
}

/** Bundles a plugin of the workspace from its sources, as other builds do: its files import the same module as the configuration. */
const linkedPlugins: Plugin = {
  name: 'botwright-linked-plugins',
  setup: (building) =>
    building.onResolve({ filter: /^[^./]/ }, ({ path, resolveDir }) => {
      const source = isBuiltin(path) || isAbsolute(path) ? undefined : linkedPlugin(path, resolveDir)
      return source === undefined ? undefined : { path: source }
    }),
}

/** Whether an input is a file of the bot, and not of a package. */
const isOwn = (path: string): boolean =>
  !isAbsolute(path) && !path.startsWith('..') && !path.includes('node_modules/') && !/^[a-z-]+:|^</.test(path)
