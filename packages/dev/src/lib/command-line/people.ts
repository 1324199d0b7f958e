import { didYouMean, type CommandEntry, type CommandRun } from '@botwright/framework/start'
import { permissions } from '@botwright/protocol/facts'
import type { Permission } from '@botwright/protocol/shapes'
import { parseDuration } from '@botwright/framework/replay'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Act } from '../people/act.ts'
import { botOption, serviceOption } from './readers.ts'

interface Flags {
  service?: string
  bot?: string
  wait: number
  json: boolean
  in: string
  on?: string
}

function readWait(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('must be a duration, such as 2s')
  return ms
}

/** Adds a permission by its name in §5, `Manage messages`, or in roles, `manage_messages`. */
function readPermission(text: string, before: readonly Permission[]): Permission[] {
  const name = text.trim().toLowerCase().replaceAll(' ', '_')
  const found = permissions.find((one) => one === name)
  if (found) return [...before, found]
  const near = didYouMean(name, permissions)
  throw new InvalidArgumentError(near ? `did you mean ${near}?` : `must be one of ${permissions.join(', ')}`)
}

const exits =
  '\nExit codes: 0 the bot answered or its handler waits, 3 it did nothing, 4 its handler failed, 2 usage error, 1 any other failure.' +
  '\nA refusal of a guard is an answer: with --json, "result" of its event is "refused". A guard that refuses without a text exits with 3.'

const wait = () =>
  new Option('--wait <time>', 'how long to wait for the handler').argParser(readWait).default(5000, '5s')

/** Declares what all verbs share, and their action. */
function declare(command: Command, { done, io }: CommandRun, act: (flags: Flags, ...given: string[]) => Act): void {
  command
    .showHelpAfterError(
      `(run "framework help ${command.name()}" for its options; write -- before a text that begins with a dash)`,
    )
    .addOption(serviceOption())
    .addOption(botOption())
    .addOption(wait())
    .option('--json', 'print the result as JSON', false)
    .addHelpText('after', exits)
    .action(async (...given: [...string[], Flags, Command]) => {
      const { runAct } = await import('../people/people-command.ts')
      const flags = command.opts<Flags>()
      const words = given.slice(0, -2) as string[]
      const { service: address, bot, wait: waitMs, json } = flags
      done(await runAct(act(flags, ...words), { io, service: address, bot, waitMs, json }))
    })
}

const withPerson = (command: Command): Command =>
  command.argument('<person>', 'the name of a person; a new name creates one, who joins a server with "framework join"')
const placed = (command: Command): Command => command.option('--in <channel>', 'name of the channel', 'general')
const onMessage = (command: Command): Command =>
  placed(command).option('--on <message>', 'id of the message (default: the newest one)')

/** `framework chat`. */
export const chat: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .option('--as <person>', 'the name of the person; a new name creates one', 'ann')
    .option('--in <channel>', 'name of the channel', 'general')
    .addOption(serviceOption())
    .addOption(botOption())
    .addOption(wait())
    .addHelpText('after', '\nType :help in the chat for its commands. In a pipe, it reads lines and prints lines.')
    .action(async (flags: Flags & { as: string }) => {
      const { runChat } = await import('../people/chat/chat-command.ts')
      const { as, in: where, service: address, bot, wait: waitMs } = flags
      done(await runChat({ io, as, where, service: address, bot, waitMs }))
    })
}

/** `framework role`. */
export const role: CommandEntry['configure'] = (command, { done, io }) => {
  command
    .argument('<name>', 'the name of a person or of a bot; a new name creates a person')
    .argument('<role>', 'the name of the role; a new name creates one')
    .argument('[server]', 'name of the server (default: the first one of the person or the bot)')
    .addOption(
      new Option('--permission <name>', 'also give the role this permission, such as "Manage messages"; repeatable')
        .argParser(readPermission)
        .default([], 'none'),
    )
    .addOption(new Option('--remove', 'take the role away').default(false).conflicts('permission'))
    .addOption(serviceOption())
    .option('--json', 'print the result as JSON', false)
    .action(async (who: string, name: string, server: string | undefined) => {
      const { runRole } = await import('../people/role-command.ts')
      const { remove, permission, service, json } = command.opts<
        Flags & { remove: boolean; permission: Permission[] }
      >()
      done(await runRole({ who, role: name, server, permissions: permission, remove, io, service, json }))
    })
}

/** The verbs of people, by the name of their command. */
export const people: Record<Act['verb'], CommandEntry['configure']> = {
  say: (command, run) =>
    declare(placed(withPerson(command).argument('<text>', 'the message')), run, (flags, who = '', content = '') => ({
      ...{ verb: 'say', who, content, where: flags.in },
    })),
  dm: (command, run) =>
    declare(withPerson(command).argument('<text>', 'the message'), run, (_, who = '', content = '') => ({
      ...{ verb: 'dm', who, content },
    })),
  click: (command, run) =>
    declare(
      onMessage(withPerson(command).argument('<label>', 'the label or emoji of the button')),
      run,
      (flags, who = '', label = '') => ({ verb: 'click', who, label, where: flags.in, on: flags.on }),
    ),
  react: (command, run) =>
    declare(onMessage(withPerson(command).argument('<emoji>', 'the emoji')), run, (flags, who = '', emoji = '') => ({
      verb: 'react',
      who,
      emoji,
      where: flags.in,
      on: flags.on,
    })),
  join: (command, run) =>
    declare(
      withPerson(command).argument('[server]', 'name of the server (default: the oldest)'),
      run,
      (_, who = '', server?: string) => ({ verb: 'join', who, server }),
    ),
}
