import { resolve } from 'node:path'
import type { CommandEntry } from '@botwright/framework/start'
import { botOption, serviceOption } from './readers.ts'

interface Flags {
  folder: string
  service?: string
  bot?: string
}

export const configure: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .option('--folder <path>', 'the folder of the bot (default: the current one)', '.')
    .addOption(serviceOption())
    .addOption(botOption())
    .addHelpText('after', '\nAn MCP client starts this command itself and communicates over standard input and output.')
    .action(async ({ folder, service, bot }: Flags) => {
      const [{ runMcp }, { toolsFor }] = await Promise.all([import('../mcp/mcp-server.ts'), import('../mcp/tools.ts')])
      done(await runMcp({ ...io, cwd: resolve(io.cwd, folder) }, toolsFor({ service, bot })))
    })
}
