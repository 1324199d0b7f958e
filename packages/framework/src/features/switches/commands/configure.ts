import type { Command } from 'commander'
import type { BotPlace, SwitchHost } from './switch-command.ts'

interface Typed extends BotPlace {
  json: boolean
  server?: string
  reason?: string
}

/** Declares `framework off` or `framework on`. `hostOf`: the access to the bots of the folder. */
export function configureSwitch(
  command: Command,
  to: 'off' | 'on',
  hostOf: (bots: BotPlace) => SwitchHost,
  done: (code: number) => void,
): void {
  command
    .option('--server <name>', 'only in this server: its name or id')
    .option('--build <folder>', 'the folder that "framework build" wrote, for the names of the files', 'dist')
    .option('--json', 'print the result as JSON', false)
    .option('--state <folder>', "folder of the bot's state (default: .botwright)")
    .option('--bot <id>', 'bot with this id (required if several have run here)')
    .option(
      '--cluster <url>',
      'the Redis that the instances share (default: BOT_CLUSTER_URL, or cluster of bot.config.ts)',
    )
    .action(async (name: string | undefined, { json, server, reason, ...bots }: Typed) => {
      const { listSwitches, switchCommand } = await import('./switch-command.ts')
      const host = hostOf(bots)
      const options = { json, ...(server !== undefined && { server }), ...(reason !== undefined && { reason }) }
      done(await (name === undefined ? listSwitches(host, options) : switchCommand(name, to, host, options)))
    })
  if (to === 'on') command.argument('<name>', 'what to switch on')
  else
    command
      .argument('[name]', 'what to switch off, as "framework routes" prints it (default: list what is off)')
      .option('--reason <text>', 'the reason that people read')
      .addHelpText(
        'after',
        '\nA running bot applies it within a second, on all instances of a cluster; a stopped one when it starts.' +
          '\nTasks wait, routes respond with 503, and people who use a command or a button read that it is off.',
      )
}
