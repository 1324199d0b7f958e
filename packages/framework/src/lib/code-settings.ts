import type { Config } from './config.ts'
import type { BotHost } from './ports.ts'

type Settings = Pick<BotHost, 'answerBots' | 'env' | 'handlerSeconds' | 'help' | 'plugins' | 'tracing'>

/** What of a bot's configuration its code runs with, wherever it runs: in this thread, in a worker, or once more. */
export function codeSettings({ answerBots, env, help, limits, plugins, tracing }: Omit<Config, 'store'>): Settings {
  return {
    answerBots,
    handlerSeconds: limits.handlerSeconds,
    help,
    tracing,
    ...(env && { env }),
    ...(plugins && { plugins }),
  }
}
