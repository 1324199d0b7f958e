import { build, type BuildFailure, type Metafile, type OutputFile } from 'esbuild'
import { existsSync, realpathSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { readConfig, type Definition } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import {
  buildManifestName,
  loadEnvFile,
  readPackageJson,
  type BuildManifest,
  type ThreadIo,
} from '@botwright/framework/start'
import { loadedFiles, loadConfigModule, rootsOf, type BotFolder } from '../files/bot-folder.ts'
import { codeIdOf } from '../compile/code-id.ts'
import { Compiler } from '../compile/compile.ts'
import { describeBot } from '../load/describe.ts'
import type { BotModules } from '../load/loaded-folder.ts'
import { loadConfigAlone } from '../load/mount-bot.ts'
import { isCommonJs, outward } from '../compile/emitted-path.ts'
import { copyFiles, declaredFiles, filesBeside, keepFolders, warningText } from './files-beside.ts'
import { rejecting } from '../compile/glob-import.ts'
import { envFileOf } from '../generated-types/write-types.ts'
import { modulesBeside, placeCode, placeFile, placePlugin, requireBanner } from './module-place.ts'
import { checkPatterns } from '../patterns/event-patterns.ts'
import { pathBelow, slashed } from '../files/path-below.ts'
import type { PathBeside } from '../compile/paths-beside.ts'
import { pluginTypes } from '../plugins/check-plugins.ts'
import { findPlugins, type PlacedPlugin } from '../plugins/find-plugins.ts'
import { installedName, modulesOf, withPlugins } from '../plugins/mounted-folder.ts'
import { CompileError, problemOf } from '../compile/problem.ts'
import { settingsAround } from '../files/settings-files.ts'
import { commonOptions, ownMeta, refuseUtf16 } from '../compile/transpile.ts'
import { bundlePlugin } from '../compile/resolve.ts'
import { undeclaredPackages } from './undeclared-packages.ts'

/** The output of `framework build`. */
export interface BuiltBot {
  definitions: readonly Definition[]
  /** Members that plugins add to the generated types. */
  more: readonly string[]
  /** The file that declares the environment, if any. */
  envFile: string | undefined
  /** Settings that have no effect, each with the fix. */
  ignoredSettings: readonly string[]
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
  /** Called with what the build may lack at run time, such as `commands/late.ts:3:7: …`. */
  warn?: ((text: string) => void) | undefined
}

/**
 * Builds a bot: each module is a file, so that an event loads only its own, in the order of their imports. Its modules are loaded with the
 * variables of its `.env`.
 */
export async function buildBot(job: BuildJob): Promise<BuiltBot> {
  const { outDir } = job
  loadEnvFile(job.root, job.io.env)
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

async function writeBot({ root, folder: own, outDir, files: ownFiles, io, warn }: BuildJob): Promise<BuiltBot> {
  // In a folder of its own: Node remembers that a folder had no package.json when its first module was loaded.
  const plugins = await pluginsOfBot(root, own, `${outDir}.config`)
  const folder = withPlugins(own, ownFiles, plugins, root)
  const { code, config, exported, modules, ignoredSettings } = await assembleBot({ root, folder, outDir, warn })
  const { definitions } = await describeBot(
    { manifest: folder.manifest, root, modules },
    { plugins: config.plugins, io },
  )
  await checkPatterns(definitions)
  requireHandlers(definitions)
  const { configFile } = folder
  const nameOf = (path: string) => pathBelow(outDir, path) ?? installedName(path, plugins)
  const manifest: BuildManifest = {
    version: 1,
    ...folder.manifest,
    definitions,
    modules: Object.fromEntries(loadedFiles(folder).map((file) => [file, nameOf(modules[file]!)])),
    codeId: codeIdOf(
      root,
      code.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(({ contents }) => contents),
    ),
    config: configFile === undefined ? null : nameOf(modules[configFile]!),
  }
  await writeFile(join(outDir, buildManifestName), `${JSON.stringify(manifest, undefined, 1)}\n`)
  return {
    definitions,
    envFile: envFileOf(configFile, exported),
    more: await pluginTypes(exported, folder, root),
    ignoredSettings,
    files: code.map(({ path, contents }) => ({ path: slashed(relative(outDir, path)), bytes: contents.length })),
  }
}

/** Throws `ERR_CONFIG` for a bot without handlers: there is nothing to build. */
export function requireHandlers(definitions: readonly Definition[]): void {
  if (definitions.length > 0) return
  throw new BotwrightError(
    'ERR_CONFIG',
    'there are no handlers here, so there is nothing to build: framework add command ping',
  )
}

/** A bot's code and files, as a build has them. */
export interface AssembledBot extends BotModules {
  /** With absolute paths. */
  code: readonly OutputFile[]
  /** Settings that have no effect, each with the fix. */
  ignoredSettings: readonly string[]
}

/** Writes the code and the files of a bot into a folder, and loads its configuration there. Rejects with a `CompileError`. */
export async function assembleBot({
  root,
  folder,
  outDir,
  warn,
}: Omit<BuildJob, 'files' | 'io'>): Promise<AssembledBot> {
  const roots = rootsOf(folder)
  const { outputFiles: code, sources, metafile } = await bundle(root, roots, outDir)
  const beside = await filesBeside({ root, modules: sources })
  await mkdir(outDir, { recursive: true })
  copyFiles(beside.files, outDir)
  await Promise.all(
    code.map(async ({ path, contents }) => {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, contents)
    }),
  )
  keepFolders({ root, modules: sources }, outDir)
  await writeFile(join(outDir, placeFile.name), placeCode)
  const manifests = [...beside.files.keys()].filter((to) => basename(to) === 'package.json')
  for (const to of new Set(['package.json', ...manifests])) {
    const folder = dirname(to)
    await writeFile(join(outDir, to), packageText(beside.files.get(to)))
    // A package.json can give names only to files of its own folder.
    if (folder !== '.')
      await writeFile(
        join(outDir, folder, placeFile.name),
        `export * from '${slashed(relative(folder, placeFile.name))}'\n`,
      )
  }
  const chunks = chunksOf(roots)
  const modules = modulesOf(
    folder,
    Object.fromEntries(Object.entries(chunks).map(([file, path]) => [file, join(outDir, path)])),
  )
  const { configFile } = folder
  let assets: readonly string[] = []
  try {
    const exported = await loadConfigModule(configFile && modules[configFile])
    const config = await readConfig(exported, configFile)
    assets = config.assets ?? []
    copyFiles(await declaredFiles({ root, modules: sources }, assets, configFile ?? 'bot.config.ts'), outDir)
    const ignoredSettings = settingsAround(new Set([...sources.keys()].map((path) => dirname(path))), root).warnings
    return { code, modules, exported, config, ignoredSettings }
  } finally {
    // The list covers the paths that are known only at run time.
    for (const one of beside.warnings) if (!one.isPart || assets.length === 0) warn?.(warningText(one))
    for (const text of warn ? undeclaredPackages(root, metafile) : []) warn?.(text)
  }
}

/** A `package.json` in a build: names the file of locations beside it, and has the fields of the bot's file that its code reads. */
function packageText(path: string | undefined): string {
  const own = path === undefined ? undefined : readPackageJson(dirname(path))
  const imports = { [placeFile.specifier]: `./${placeFile.name}` }
  return `${JSON.stringify({ type: 'module', ...own, exports: undefined, imports })}\n`
}

/** The files to bundle are known only after the configuration was read, so it is compiled separately before. */
async function pluginsOfBot(root: string, folder: BotFolder, outDir: string): Promise<PlacedPlugin[]> {
  try {
    return await findPlugins(await loadConfigAlone(new Compiler({ root, outDir }), folder), root)
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

interface Bundled {
  outputFiles: OutputFile[]
  /** The absolute path of each bundled module, with the paths that it computes from its location. */
  sources: ReadonlyMap<string, readonly PathBeside[]>
  metafile: Metafile
}

interface BundleOptions {
  banner?: string
  /** See `bundlePlugin`. */
  built?: ReadonlyMap<string, string>
}

async function bundle(
  root: string,
  roots: readonly string[],
  outDir: string,
  { banner = '', built }: BundleOptions = {},
): Promise<Bundled> {
  const sources = new Map<string, readonly PathBeside[]>()
  const outOfRoots = new Set(roots.map((file) => `${outOf(file)}.mjs`))
  const shared = [...(built ?? [])].filter(([, out]) => !outOfRoots.has(out))
  const entries = new Set(roots.map((file) => realpathSync(join(root, file))))
  const linked = new Set<string>()
  try {
    const { outputFiles, metafile } = await build({
      ...commonOptions,
      absWorkingDir: root,
      outdir: outDir,
      entryPoints: [
        ...roots.map((file) => ({ in: join(root, file), out: outOf(file) })),
        ...shared.map(([path, out]) => ({ in: path, out: out.slice(0, -'.mjs'.length) })),
      ],
      plugins: [
        placePlugin(root, sources),
        bundlePlugin(root, { built: built ?? new Map(), entries, linked }),
        refuseUtf16,
      ],
      define: { 'import.meta': ownMeta },
      banner: { js: banner },
      splitting: true,
      chunkNames: `${sharedFolder}[name]-[hash]`,
      // Not the syntax: it would remove names of functions and classes.
      minifyWhitespace: true,
      sourcemap: 'linked',
    })
    const more = [...modulesBeside(sources), ...linked].map((path) => slashed(relative(root, path)))
    const isNew = more.filter((file) => !roots.includes(file))
    // Threads and processes, linked packages, what the code requires, and its modules are found only while it is bundled.
    const needed = requiresAny(metafile) ? requireBanner : ''
    if (built && isNew.length === 0 && needed === banner)
      return { outputFiles: withRejections(outputFiles), sources, metafile }
    const all = [...roots, ...isNew]
    const known = isNew.length > 0 ? undefined : filesOf({ root, roots: all, sources, metafile, outputFiles })
    return await bundle(root, all, outDir, { banner: needed, ...(known && { built: known }) })
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (!errors) throw error
    throw new CompileError(errors.map((message) => problemOf(message, root)))
  }
}

/** The folder of what several files of a build import. */
const sharedFolder = 'chunks/'

/**
 * The file of each module, so that Node loads the modules of a build in the order of their imports, as in development: in one file, esbuild
 * would put what several files share first. It has to bundle what CommonJS requires.
 */
function filesOf({
  root,
  roots,
  sources,
  metafile,
  outputFiles,
}: Bundled & { root: string; roots: readonly string[] }): Map<string, string> {
  // The modules that match a pattern of `require()` are in no list.
  if (outputFiles.some(({ text }) => text.includes('globRequire_'))) return new Map()
  const named = new Map(roots.map((file) => [realpathSync(join(root, file)), `${outOf(file)}.mjs`]))
  const required = new Set<string>()
  const visit = (input: string): void => {
    if (required.has(input)) return
    required.add(input)
    for (const { path, kind, external } of metafile.inputs[input]?.imports ?? [])
      if (!external && kind !== 'dynamic-import') visit(path)
  }
  for (const { imports } of Object.values(metafile.inputs))
    for (const { path, kind } of imports) if (kind === 'require-call') visit(path)
  const own = [...sources.keys()].filter((path) => {
    const file = slashed(relative(root, path))
    return !isCommonJs(path) && !required.has(file)
  })
  return new Map(
    own.map((path) => [path, named.get(path) ?? `${sharedFolder}${outward(slashed(relative(root, path)))}.mjs`]),
  )
}

function withRejections(files: readonly OutputFile[]): OutputFile[] {
  const texts = rejecting(files.map(({ path, text }) => (path.endsWith('.map') ? '' : text)))
  return files.map((file, i) =>
    file.path.endsWith('.map') || texts[i] === file.text ? file : { ...file, contents: Buffer.from(texts[i]!) },
  )
}

/** Whether code calls `require`, which a module does not have. */
const requiresAny = ({ inputs }: Metafile): boolean =>
  Object.entries(inputs).some(
    ([path, { imports }]) => isCommonJs(path) || imports.some(({ kind }) => kind === 'require-call'),
  )

/** Files of plugins are outside the bot's folder, but their chunks are inside the build. */
const outOf = (file: string): string => outward(file.replace(/\.[cm]?[jt]sx?$/, ''))

/** The chunk of each entry's file, relative to the output folder. */
const chunksOf = (roots: readonly string[]): Record<string, string> =>
  Object.fromEntries(roots.map((file) => [file, `${outOf(file)}.mjs`]))

/** Whether a folder is a build, empty or missing: nothing else is overwritten. */
export async function mayOverwrite(outDir: string): Promise<boolean> {
  if (!existsSync(outDir) || existsSync(join(outDir, buildManifestName))) return true
  return (await readdir(outDir)).length === 0
}
