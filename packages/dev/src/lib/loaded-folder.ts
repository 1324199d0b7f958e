import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config, type LoadedCode } from '@botwright/framework'
import { loadConfigModule, readBotFolder, rootsOf, type BotFolder } from './bot-folder.ts'
import { makePrivateFolder, type ThreadIo } from '@botwright/framework/start'
import { Compiler } from './compile.ts'
import { describeBot } from './describe.ts'
import { envFileOf, writeTypes } from './generated-types/write-types.ts'
import { pluginProblems, pluginTypes } from './plugins/check-plugins.ts'
import { findPlugins } from './plugins/find-plugins.ts'
import { modulesOf, withPlugins } from './plugins/mounted-folder.ts'
import type { Problem } from './problem.ts'

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
}

/** Compiles and loads every file of a bot. Rejects with the first error. */
export async function loadFolder(root: string, files: Iterable<string>, io: ThreadIo): Promise<LoadedFolder> {
  process.setSourceMapsEnabled(true)
  const stateDir = join(root, '.botwright')
  makePrivateFolder(stateDir)
  const outDir = await mkdtemp(join(stateDir, 'check-'))
  try {
    const own = readBotFolder(files)
    const { configFile } = own
    const compiler = new Compiler({ root, outDir })
    const compiled = await compiler.compile({ roots: rootsOf(own) })
    const exported = await loadConfigModule(configFile && compiled.modules[configFile])
    const config = await readConfig(exported, configFile)
    const folder = withPlugins(own, files, await findPlugins(exported, root), root)
    const { modules } = folder === own ? compiled : await compiler.compile({ roots: rootsOf(folder) })
    const source = { manifest: folder.manifest, root, modules: modulesOf(folder, modules) }
    const described = await describeBot(source, config.plugins, io)
    // Plugins may load more of their own modules for this, so it runs while those still exist.
    const problems = await pluginProblems(exported, folder, root)
    return { ...folder, ...described, config, exported, problems, more: await pluginTypes(exported, folder, root) }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/** Updates `.framework/types.d.ts` to the current files; returns whether it changed. */
export const writeTypesOf = (root: string, folder: LoadedFolder): Promise<boolean> =>
  writeTypes(root, {
    definitions: folder.definitions,
    envFile: envFileOf(folder.configFile, folder.exported),
    more: folder.more,
  })
