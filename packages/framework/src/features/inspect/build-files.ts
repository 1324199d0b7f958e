import { resolve } from 'node:path'
import type { Config } from '../../author/config/config.ts'
import type { Definition } from '../../author/files/entries.ts'
import { readBuild, readBuiltConfig } from '../../program/build-manifest.ts'
import type { ProgramIo } from '../../program/program-io.ts'

/** The files of a bot and its configuration. */
export interface BotFiles {
  definitions: readonly Definition[]
  config: Config
  /** The name of the file of the configuration, if there is one. */
  configFile?: string | undefined
}

/** Reads the build of a bot. The variables of its `.env` have been read before. Throws `ERR_CONFIG`. */
export async function filesOfBuild({ cwd, env }: Pick<ProgramIo, 'cwd' | 'env'>, folder = 'dist'): Promise<BotFiles> {
  const built = readBuild(resolve(cwd, folder), cwd)
  const config = await readBuiltConfig(built, env)
  return {
    definitions: built.source.definitions ?? [],
    config,
    ...(built.configPath !== undefined && { configFile: 'bot.config.ts' }),
  }
}
