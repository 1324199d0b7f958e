import { resolve } from 'node:path'
import { Option } from 'commander'
import type { CommandEntry } from '@botwright/framework/start'
import { readPort } from './readers.ts'

interface ServiceFlags {
  port: number
  host: string
  data?: string
  world?: string
  controls: boolean
  allowLoopbackWebhooks: boolean
  key: boolean
}

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .option('--port <number>', 'port; 0 picks a free one', readPort, 7420)
    .option('--host <address>', 'address', '127.0.0.1')
    .option('--data <file>', 'keep the data in this file')
    .addOption(new Option('--memory', 'keep the data in memory (default)').conflicts('data'))
    .option('--world <file>', 'JSON file with people, servers, channels and bots')
    .option('--controls', 'serve /controls/v1, for tests and demonstrations', false)
    .option('--allow-loopback-webhooks', 'allow event webhooks to this computer', false)
    .option('--key', 'require a key, included in the printed address: for shared computers', false)
    .action(async ({ port, host, data, world, controls, allowLoopbackWebhooks, key }: ServiceFlags) => {
      const { readWorld, runService } = await import('@botwright/service/program')
      await runService(
        {
          ...{ port, host, controls, key },
          ...(allowLoopbackWebhooks && { allowLoopbackWebhooks }),
          ...(data !== undefined && { data: data === ':memory:' ? data : resolve(io.cwd, data) }),
          ...(world !== undefined && { world: readWorld(resolve(io.cwd, world)) }),
        },
        io,
      )
      done(0)
    })
}
