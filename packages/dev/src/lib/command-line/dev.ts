import { readWorkers, type CommandEntry } from '@botwright/framework/start'
import type { DevOptions } from '../session/dev-command.ts'
import { readPort } from './readers.ts'

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .option(
      '--real',
      'run on the real service in BOT_TOKEN and BOT_BASE_URL, where everyone sees what the bot does',
      false,
    )
    .option(
      '--port <number>',
      'port of the local service; 0 picks a free one (default: 7420 or the next free one)',
      readPort,
    )
    .option('--data <file>', 'keep the data of the local service in this file (default: in memory)')
    .option(
      '--world <file>',
      'JSON file with the people, channels and bots of the local service; the first bot in it is the one that runs',
    )
    .option('--allow-loopback-webhooks', 'let the local service send event webhooks to this computer')
    .option('--key', 'require a key, included in the printed address, for the local service: for shared computers')
    .option(
      '--workers <number>',
      'threads that run handlers (default: limits.workers of bot.config.ts, or 1)',
      readWorkers,
    )
    .option('--verbose', 'show debug lines of the log', false)
    .action(async (options: Omit<DevOptions, 'io'>) => {
      if (
        options.real &&
        [options.port, options.data, options.world, options.allowLoopbackWebhooks, options.key].some(
          (value) => value !== undefined,
        )
      )
        command.error(
          'error: --port, --data, --world, --allow-loopback-webhooks and --key configure the local service and cannot be combined with --real',
        )
      if (options.data === ':memory:') delete options.data
      const { runDev } = await import('../session/dev-command.ts')
      done(await runDev({ io, ...options }))
    })
}
