import { build, type BuildFailure, type Metafile } from 'esbuild'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { readConfig, type Definition } from '@botwright/framework'
import { buildManifestName, type BuildManifest } from '@botwright/framework/start'
import { loadConfigModule, rootsOf, type BotFolder } from './bot-folder.ts'
import { describeBot } from './describe.ts'
import { envFileOf } from './generated-types/write-types.ts'
import { CompileError, problemOf, slashed } from './problem.ts'
import { commonOptions } from './transpile.ts'

/** What `framework build` has written. */
export interface BuiltBot {
  definitions: readonly Definition[]
  /** The file that declares the environment, if any. */
  envFile: string | undefined
  /** Written files with their sizes in bytes, relative to the output folder. */
  files: { path: string; bytes: number }[]
}

/** Bundles a bot: a chunk for each entry, loaded when its first event arrives; what several share is a chunk of its own. */
export async function buildBot(root: string, folder: BotFolder, outDir: string): Promise<BuiltBot> {
  const partDir = `${outDir}.part`
  await rm(partDir, { recursive: true, force: true })
  try {
    const built = await writeBot(root, folder, partDir)
    // Only a whole build takes the place of the last one.
    await rm(outDir, { recursive: true, force: true })
    await rename(partDir, outDir)
    return built
  } finally {
    await rm(partDir, { recursive: true, force: true })
  }
}

async function writeBot(root: string, folder: BotFolder, outDir: string): Promise<BuiltBot> {
  const { metafile, files } = await bundle(root, rootsOf(folder), outDir)
  await Promise.all(
    files.map(async ({ path, contents }) => {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, contents)
    }),
  )
  const modules = modulesOf(metafile, root, outDir)
  const absolute = Object.fromEntries(Object.entries(modules).map(([file, path]) => [file, join(outDir, path)]))
  const { configFile } = folder
  const exported = await loadConfigModule(configFile && absolute[configFile])
  await readConfig(exported, configFile)
  const { definitions } = await describeBot({ manifest: folder.manifest, root, modules: absolute })
  const manifest: BuildManifest = {
    version: 1,
    entries: folder.manifest.entries,
    definitions,
    modules: Object.fromEntries(Object.entries(modules).filter(([file]) => file !== configFile)),
    config: configFile === undefined ? null : modules[configFile]!,
  }
  await writeFile(join(outDir, 'botwright.json'), `${JSON.stringify(manifest, undefined, 1)}\n`)
  await writeFile(join(outDir, 'package.json'), '{"type":"module"}\n')
  return {
    definitions,
    envFile: envFileOf(configFile, exported),
    files: files.map(({ path, contents }) => ({ path: slashed(relative(outDir, path)), bytes: contents.length })),
  }
}

async function bundle(root: string, roots: readonly string[], outDir: string) {
  try {
    const { metafile, outputFiles } = await build({
      ...commonOptions,
      absWorkingDir: root,
      outdir: outDir,
      entryPoints: roots.map((file) => ({ in: join(root, file), out: file.replace(/\.[cm]?[jt]s$/, '') })),
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      minifySyntax: true,
      minifyWhitespace: true,
      sourcemap: 'linked',
    })
    return { metafile, files: outputFiles }
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>
    if (!errors) throw error
    throw new CompileError(errors.map((message) => problemOf(message, root)))
  }
}

/** For each entry's file its chunk, relative to the output folder. */
function modulesOf(metafile: Metafile, root: string, outDir: string): Record<string, string> {
  const modules: Record<string, string> = {}
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint !== undefined) modules[entryPoint] = slashed(relative(outDir, join(root, path)))
  }
  return modules
}

/** Whether a folder is a build, empty or not there: nothing else is overwritten. */
export async function mayOverwrite(outDir: string): Promise<boolean> {
  if (!existsSync(outDir) || existsSync(join(outDir, buildManifestName))) return true
  return (await readdir(outDir)).length === 0
}
