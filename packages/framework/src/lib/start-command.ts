import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BotwrightError } from '@botwright/protocol/facts'
import { readBuild } from './build-manifest.ts'
import { readConfig } from './config.ts'
import { hideInCrash } from './crash.ts'
import { loadEnvFile, readEnv } from './env.ts'
import { envSecrets } from './environment/check-env.ts'
import { createLog, readLogLevel } from './log.ts'
import type { Shutdown } from './shutdown.ts'
import { startBot } from './supervisor/start-bot.ts'

export interface StartCommandOptions {
  /** The folder that `framework build` made. */
  folder: string
  /** The folder of the journal. */
  stateDir?: string
}

/** `framework start`: runs a built bot until a signal ends it. Resolves with the exit code. */
export async function startCommand({ folder, stateDir }: StartCommandOptions, shutdown: Shutdown): Promise<number> {
  const root = process.cwd()
  try {
    loadEnvFile(root)
    const { token, baseUrl, webhookSecret, logLevel } = readEnv(process.env)
    const { source, configPath } = readBuild(resolve(root, folder), root)
    const configModule = configPath && ((await import(pathToFileURL(configPath).href)) as { default?: unknown })
    const config = await readConfig(configModule ? configModule.default : undefined, 'bot.config.ts', process.env)
    const secrets = [token, webhookSecret, ...envSecrets(config.hiddenEnv, process.env)]
    hideInCrash(secrets)
    const log = createLog({ level: readLogLevel(logLevel), secrets })
    const bot = await startBot({
      source,
      config,
      baseUrl,
      token,
      log,
      signal: shutdown.signal,
      ...(webhookSecret !== undefined && { webhookSecrets: [webhookSecret] }),
      ...(stateDir !== undefined && { stateDir: resolve(root, stateDir) }),
    })
    shutdown.signal.addEventListener('abort', () => void bot.stop(), { once: true })
    if (shutdown.signal.aborted) void bot.stop()
    const { reason } = await bot.ended
    const code = reason === 'stopped' ? 0 : 1
    log.info({ code }, reason === 'stopped' ? 'stopped' : 'ended: the token is not accepted any more')
    return code
  } catch (error) {
    if (shutdown.signal.aborted) return 0
    if (!(error instanceof BotwrightError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  } finally {
    shutdown[Symbol.dispose]()
  }
}
