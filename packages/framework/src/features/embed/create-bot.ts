import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildManifestName } from '../../program/build-manifest.ts'
import { readEnvFile } from '../../program/env.ts'
import { createLog, readLogLevel } from '../../program/log.ts'
import { readBot } from '../../program/read-bot.ts'
import { startBot } from '../../runtime/start/start-bot.ts'
import { type CreateBotOptions, embeddedIo, environmentOf, linesTo, readBasePath } from './embed-options.ts'
import { checkControl } from '../health/control/check-control.ts'
import { type EmbeddedBot, Embedding } from './embedding.ts'
import { logIfInNoServer } from './in-no-server.ts'

/**
 * Reads a built bot for a program that runs it beside its own code. `folder` is that of the bot, whose build is in `dist`, or a build
 * inside of it. Rejects with `ERR_CONFIG`, which names what to fix.
 */
export async function createBot(folder: string | URL, options: CreateBotOptions = {}): Promise<EmbeddedBot> {
  const given = folder instanceof URL ? fileURLToPath(folder) : folder
  const build = resolve(given, existsSync(join(given, buildManifestName)) ? '.' : 'dist')
  const root = dirname(build)
  const env = environmentOf(options, () => readEnvFile(root))
  const {
    config,
    controlToken,
    logLevel,
    options: startOptions,
    secrets,
    source,
  } = await readBot({ folder: build, root, env })
  checkControl(config, controlToken)
  const lines = options.log && { write: linesTo(options.log) }
  const log = createLog({ level: readLogLevel(logLevel), secrets, ...lines })
  const { basePath, ports = [], stateDir, threads = true } = options
  const io = embeddedIo(env, secrets)
  return new Embedding({
    ...{ config, log, ports, basePath: readBasePath(basePath), definitions: source.definitions ?? [] },
    isControlled: Boolean(env['BOT_CONTROL_TOKEN']?.trim()),
    async start(given) {
      const bot = await startBot({
        ...(await startOptions()),
        ...{ log, io, dispatcher: threads ? 'worker' : 'inline' },
        ...(!ports.includes('http') && { config: { ...config, http: false } }),
        ...(stateDir !== undefined && { stateDir }),
        ...given,
      })
      void logIfInNoServer(bot, log)
      return bot
    },
  })
}
