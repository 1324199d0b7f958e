import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildManifestName } from '../../program/build-manifest.ts'
import { readEnvFile } from '../../program/env.ts'
import { createLog, readLogLevel } from '../../program/log.ts'
import { readBot } from '../../program/read-bot.ts'
import { type CreateBotOptions, environmentOf, linesTo } from './embed-options.ts'
import { checkControl } from '../health/control/check-control.ts'
import { embedBot } from './embed-bot.ts'
import type { EmbeddedBot } from './embedding.ts'

/**
 * Reads a built bot for a program that runs it beside its own code. `folder` is that of the bot, whose build is in `dist`, or a build
 * inside of it. Rejects with `ERR_CONFIG`, which names what to fix.
 */
export async function createBot(folder: string | URL, options: CreateBotOptions = {}): Promise<EmbeddedBot> {
  const given = folder instanceof URL ? fileURLToPath(folder) : folder
  const build = resolve(given, existsSync(join(given, buildManifestName)) ? '.' : 'dist')
  const root = dirname(build)
  const env = environmentOf(options, () => readEnvFile(root))
  const { controlToken, logLevel, ...read } = await readBot({ folder: build, root, env })
  checkControl(read.config, controlToken)
  const lines = options.log && { write: linesTo(options.log) }
  const log = createLog({ level: readLogLevel(logLevel), secrets: read.secrets, ...lines })
  return embedBot({ ...read, log, env }, options)
}
