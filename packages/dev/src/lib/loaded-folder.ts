import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config, type LoadedCode } from '@botwright/framework'
import { loadConfigModule, readBotFolder, rootsOf, type BotFolder } from './bot-folder.ts'
import { Compiler } from './compile.ts'
import { describeBot } from './describe.ts'
import { envFileOf, writeTypes } from './generated-types/write-types.ts'

/** A bot's files, loaded once to learn what they define; nothing of them runs. */
export interface LoadedFolder extends LoadedCode, BotFolder {
  /** With the defaults filled in; the variables that it declares are not asked for. */
  config: Config
  /** What `bot.config.ts` exports. */
  exported: unknown
}

/** Compiles and loads every file of a bot. Rejects with the first thing that is wrong. */
export async function loadFolder(root: string, files: Iterable<string>): Promise<LoadedFolder> {
  process.setSourceMapsEnabled(true)
  const stateDir = join(root, '.botwright')
  await mkdir(stateDir, { recursive: true })
  const outDir = await mkdtemp(join(stateDir, 'check-'))
  try {
    const folder = readBotFolder(files)
    const { configFile, manifest } = folder
    const { modules } = await new Compiler({ root, outDir }).compile({ roots: rootsOf(folder) })
    const exported = await loadConfigModule(configFile && modules[configFile])
    const config = await readConfig(exported, configFile)
    return { ...folder, ...(await describeBot({ manifest, root, modules })), config, exported }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/** Brings `.framework/types.d.ts` to what the files say now; tells whether it was another. */
export const writeTypesOf = (root: string, { definitions, configFile, exported }: LoadedFolder): Promise<boolean> =>
  writeTypes(root, { definitions, envFile: envFileOf(configFile, exported) })
