import type { CommandModule } from '@botwright/framework/start'
import { readPort } from './read-port.ts'

export const configure: CommandModule['configure'] = (command, done) => {
  command
    .option('--local', 'start the local service even when BOT_TOKEN is set', false)
    .option(
      '--port <number>',
      'port of the local service; 0 picks a free one (default: 7420 or the next free one)',
      readPort,
    )
    .option('--data <file>', 'keep the data of the local service in this file (default: in memory)')
    .option('--verbose', 'show debug lines of the log', false)
    .action(async (options: { local: boolean; port?: number; data?: string; verbose: boolean }) => {
      const { runDev } = await import('../dev-command.ts')
      done(await runDev({ folder: process.cwd(), ...options }))
    })
}
