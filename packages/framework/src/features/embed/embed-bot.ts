import type { Config } from '../../author/config/config.ts'
import type { Log } from '../../author/ports.ts'
import type { BotSource } from '../../link/ports.ts'
import type { StartBotOptions } from '../../runtime/ports/running-bot.ts'
import { startBot } from '../../runtime/start/start-bot.ts'
import { type CreateBotOptions, embeddedIo, readBasePath } from './embed-options.ts'
import { type EmbeddedBot, Embedding } from './embedding.ts'
import { logIfInNoServer } from './in-no-server.ts'

/** A built bot that was read. */
export interface ReadBot {
  source: BotSource
  config: Config
  env: NodeJS.ProcessEnv
  secrets: readonly (string | undefined)[]
  log: Log
  options: () => Promise<Omit<StartBotOptions, 'log'>>
}

/** Creates a bot that starts inside of this program. Throws `ERR_CONFIG`. */
export function embedBot(
  { source, config, env, secrets, log, options }: ReadBot,
  { basePath, ports = [], stateDir, threads = true }: CreateBotOptions,
): EmbeddedBot {
  const io = embeddedIo(env, secrets)
  return new Embedding({
    ...{ config, log, ports, basePath: readBasePath(basePath), definitions: source.definitions ?? [] },
    isControlled: Boolean(env['BOT_CONTROL_TOKEN']?.trim()),
    async start(given) {
      const bot = await startBot({
        ...(await options()),
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
