import { build, type BuildFailure } from 'esbuild'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { readConfig, type Definition } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import { buildManifestName, type BuildManifest, type ThreadIo } from '@botwright/framework/start'
import { loadedFiles, loadConfigModule, rootsOf, type BotFolder } from './bot-folder.ts'
import { codeIdOf } from './code-id.ts'
import { Compiler } from './compile.ts'
import { describeBot } from './describe.ts'
import { envFileOf } from './generated-types/write-types.ts'
import { pathBelow, slashed } from './path-below.ts'
import { pluginTypes } from './plugins/check-plugins.ts'
import { findPlugins, mightMountPlugins, type PlacedPlugin } from './plugins/find-plugins.ts'
import { installedName, modulesOf, withPlugins } from './plugins/mounted-folder.ts'
import { bundlePlugins } from './plugins/plugin-source.ts'
import { CompileError, problemOf } from './problem.ts'
import { commonOptions } from './transpile.ts'
import { outward } from './resolve.ts'

/** The output of `framework build`. */
export interface BuiltBot {
  definitions: readonly Definition[]
  /** Members that plugins add to the generated types. */
  more: readonly string[]
  /** The file that declares the environment, if any. */
  envFile: string | undefined
  /** Written files with their sizes in bytes, relative to the output folder. */
  files: { path: string; bytes: number }[]
}

interface BuildJob {
  root: string
  folder: BotFolder
  /** The output folder. */
  outDir: string
  files: Iterable<string>
  io: ThreadIo
}

/** Bundles a bot: one chunk per entry, loaded when its first event arrives; shared code gets chunks of its own. */
export async function buildBot(job: BuildJob): Promise<BuiltBot> {
  const { outDir } = job
  // The dot excludes it from `include` in the bot's tsconfig.json: `framework check` may run at the same time.
  const partDir = join(dirname(outDir), `.${basename(outDir)}.part`)
  await rm(partDir, { recursive: true, force: true })
  try {
    const built = await writeBot({ ...job, outDir: partDir })
    // Only a complete build replaces the last one.
    await rm(outDir, { recursive: true, force: true })
    await rename(partDir, outDir)
    return built
  } finally {
    await rm(partDir, { recursive: true, force: true })
  }
}

async function writeBot({ root, folder: own, outDir, files: ownFiles, io }: BuildJob): Promise<BuiltBot> {
  const plugins = await pluginsOfBot(root, own, join(outDir, '.config'))
  const folder = withPlugins(own, ownFiles, plugins, root)
  const roots = rootsOf(folder)
  const files = await bundle(root, roots, outDir)
  await Promise.all(
    files.map(async ({ path, contents }) => {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, contents)
    }),
  )
  const chunks = chunksOf(roots)
  const { configFile } = folder
  const absolute = Object.fromEntries(Object.entries(chunks).map(([file, path]) => [file, join(outDir, path)]))
  const exported = await loadConfigModule(configFile && absolute[configFile])
  const config = await readConfig(exported, configFile)
  const modules = modulesOf(folder, absolute)
  const { definitions } = await describeBot({ manifest: folder.manifest, root, modules }, config.plugins, io)
  if (definitions.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      'there are no handlers here, so there is nothing to build: framework add command ping',
    )
  const nameOf = (path: string) => pathBelow(outDir, path) ?? installedName(path, plugins)
  const manifest: BuildManifest = {
    version: 1,
    ...folder.manifest,
    definitions,
    modules: Object.fromEntries(loadedFiles(folder).map((file) => [file, nameOf(modules[file]!)])),
    codeId: codeIdOf(
      root,
      files.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(({ contents }) => contents),
    ),
    config: configFile === undefined ? null : chunks[configFile]!,
  }
  await writeFile(join(outDir, 'botwright.json'), `${JSON.stringify(manifest, undefined, 1)}\n`)
  await writeFile(join(outDir, 'package.json'), '{"type":"module"}\n')
  return {
    definitions,
    envFile: envFileOf(configFile, exported),
    more: await pluginTypes(exported, folder, root),
    files: files.map(({ path, contents }) => ({ path: slashed(relative(outDir, path)), bytes: contents.length })),
  }
}

/** The files to bundle are known only after the configuration was read, so it is compiled separately before. */
async function pluginsOfBot(root: string, { configFile }: BotFolder, outDir: string): Promise<PlacedPlugin[]> {
  if (configFile === undefined || !(await mightMountPlugins(root, configFile))) return []
  try {
    const { modules } = await new Compiler({ root, outDir }).compile({ roots: [configFile] })
    return await findPlugins(await loadConfigModule(modules[configFile]), root)
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

async function bundle(root: string, roots: readonly string[], outDir: string) {
  try {
    const { outputFiles } = await build({
      ...commonOptions,
      absWorkingDir: root,
      outdir: outDir,
      entryPoints: roots.map((file) => ({ in: join(root, file), out: outOf(file) })),
      plugins: [bundlePlugins],
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      minifySyntax: true,
      minifyWhitespace: true,
      sourcemap: 'linked',
    })
    return outputFiles
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (!errors) throw error
    throw new CompileError(errors.map((message) => problemOf(message, root)))
  }
}

/** Files of plugins are outside the bot's folder, but their chunks are inside the build. */
const outOf = (file: string): string => outward(file.replace(/\.[cm]?[jt]s$/, ''))

/** The chunk of each entry's file, relative to the output folder. */
const chunksOf = (roots: readonly string[]): Record<string, string> =>
  Object.fromEntries(roots.map((file) => [file, `${outOf(file)}.mjs`]))

/** Whether a folder is a build, empty or missing: nothing else is overwritten. */
export async function mayOverwrite(outDir: string): Promise<boolean> {
  if (!existsSync(outDir) || existsSync(join(outDir, buildManifestName))) return true
  return (await readdir(outDir)).length === 0
}
