import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config, type LoadedCode } from '@botwright/framework'
import { readBotFolder, type BotFolder } from '../files/bot-folder.ts'
import { removeDeadSessions } from '../files/session-folder.ts'
import { loadEnvFile, makePrivateFolder, mapStacks, type ThreadIo } from '@botwright/framework/start'
import { Compiler } from '../compile/compile.ts'
import { describeBot } from './describe.ts'
import { loadConfigAlone, MountedBot } from './mount-bot.ts'
import { envFileOf, writeTypes } from '../generated-types/write-types.ts'
import { pluginProblems, pluginTypes } from '../plugins/check-plugins.ts'
import { modulesOf } from '../plugins/mounted-folder.ts'
import type { Problem } from '../compile/problem.ts'

/** A bot's files, loaded once to read their definitions; nothing of them runs. */
export interface LoadedFolder extends LoadedCode, BotFolder {
  /** With the defaults filled in; the declared variables are not required. */
  config: Config
  /** The exports of `bot.config.ts`. */
  exported: unknown
  /** The problems that its plugins find in the files they requested. */
  problems: readonly Problem[]
  /** Members that its plugins add to the generated types. */
  more: readonly string[]
  /** Settings that have no effect, each with the fix. */
  ignoredSettings: readonly string[]
}

/** The modules of a bot, and the configuration that they have loaded. */
export interface BotModules extends Pick<LoadedFolder, 'exported' | 'config'> {
  /** The absolute path of the module of each file that is loaded by name. */
  modules: Record<string, string>
}

/** Works with the folder of compiled modules, which ends with the work. */
async function withModules<T>(root: string, work: (outDir: string) => Promise<T>): Promise<T> {
  mapStacks()
  const stateDir = join(root, '.botwright')
  makePrivateFolder(stateDir)
  // A killed process leaves its folder.
  await removeDeadSessions(root, 'check')
  const parent = join(stateDir, 'check')
  await mkdir(parent, { recursive: true })
  const outDir = await mkdtemp(join(parent, `${process.pid}-`))
  try {
    return await work(outDir)
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/**
 * Compiles and loads the configuration of a bot alone, with the variables of its `.env`; undefined if there is none. Rejects with its first
 * error.
 */
export async function loadExports(root: string, files: Iterable<string>, env: NodeJS.ProcessEnv): Promise<unknown> {
  loadEnvFile(root, env)
  const own = readBotFolder(files)
  return withModules(root, (outDir) => loadConfigAlone(new Compiler({ root, outDir }), own))
}

/**
 * Compiles and loads every file of a bot, with the variables of its `.env`: as `framework dev` does, or as `assemble` does. Rejects with the
 * first error.
 */
export async function loadFolder(
  root: string,
  files: Iterable<string>,
  io: ThreadIo,
  assemble?: (folder: BotFolder, outDir: string) => Promise<BotModules>,
): Promise<LoadedFolder> {
  loadEnvFile(root, io.env)
  return loadFiles(root, files, io, assemble)
}

/** The same with the present variables only: those of `.env` are known, or cannot be read. */
export const loadFiles: typeof loadFolder = (root, files, io, assemble) =>
  withModules(root, async (outDir) => {
    const compiler = new Compiler({ root, outDir })
    const bot = new MountedBot({ root, compiler })
    const { folder, compiled } = await bot.compile({ own: readBotFolder(files), files })
    const { exported, config, modules } = assemble
      ? await assemble(folder, join(outDir, 'built'))
      : {
          exported: bot.exported,
          config: await readConfig(bot.exported, folder.configFile),
          modules: modulesOf(folder, compiled.modules),
        }
    const source = { manifest: folder.manifest, root, modules }
    const described = await describeBot(source, { plugins: config.plugins, io })
    // Plugins may load more of their own modules for this, so it runs while those still exist.
    const problems = await pluginProblems(exported, folder, root)
    const more = await pluginTypes(exported, folder, root)
    return { ...folder, ...described, config, exported, problems, more, ignoredSettings: compiler.warnings }
  })

/** Updates `.framework/types.d.ts` to the current files; returns whether it changed. */
export const writeTypesOf = (root: string, folder: LoadedFolder): Promise<boolean> =>
  writeTypes(root, {
    definitions: folder.definitions,
    envFile: envFileOf(folder.configFile, folder.exported),
    more: folder.more,
  })
