import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CommandRun, DevEntry } from '@botwright/framework/start'
import { botOption, serviceOption } from './readers.ts'

interface Flags {
  folder: string
  service?: string
  bot?: string
}

/** Declares the command. The server runs `commands`. */
export const configure = (command: Command, { done, io }: CommandRun, commands: readonly DevEntry[]): void => {
  command
    .option('--folder <path>', 'the folder of the bot (default: the current one)', '.')
    .addOption(serviceOption())
    .addOption(botOption())
    .addHelpText('after', '\nAn MCP client starts this command itself and communicates over standard input and output.')
    .action(async ({ folder, service, bot }: Flags) => {
      const [{ runMcp }, { toolsFor }] = await Promise.all([import('../mcp/mcp-server.ts'), import('../mcp/tools.ts')])
      done(await runMcp({ ...io, cwd: resolve(io.cwd, folder) }, { tools: toolsFor({ service, bot }), commands }))
    })
}
