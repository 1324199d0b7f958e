import { type Command, Option } from 'commander'
import { loadEnvFile } from '../../../program/env.ts'
import { readEventId } from '../../../program/options.ts'
import type { CommandRun } from '../../../program/program-io.ts'
import type { ExplainedEvent } from './explain-command.ts'

/** Parses the argument of `explain`. */
function readExplained(text: string): ExplainedEvent {
  if (text === 'last') return text
  if (/^[a-z]+ \//i.test(text)) return { route: text.replace(/^\S+/, (method) => method.toUpperCase()) }
  if (/^[a-z][\w/-]*(?:\.[cm]?[jt]s)?$/i.test(text)) return { task: text.replace(/^tasks\//, '').replace(/\.\w+$/, '') }
  return readEventId(text)
}

/** Declares the arguments and options of `explain`; the command of `@botwright/dev` adds to them. */
export function configureExplain(command: Command): Command {
  return command
    .argument(
      '[event]',
      'the id of an event, "last" for the newest that the bot did something for, or a task or route ("POST /github") for its newest run (default: list the newest)',
      readExplained,
    )
    .option(
      '--html <file>',
      'write a self-contained HTML file of the event, or of the newest 1,000 events if you pass none',
    )
    .option('--json', 'print JSON', false)
    .option('--state <folder>', "folder of the bot's state", '.botwright')
    .addOption(
      new Option('--from <program>', 'history of "dev" or "start" (default: the newer one)').choices(['dev', 'start']),
    )
    .addHelpText(
      'after',
      '\n"framework dev" always records; "framework start" records with record: true in bot.config.ts.' +
        '\nLinks open VS Code. For another editor, set BOT_EDITOR_LINK, such as idea://open?file={file}&line={line}',
    )
}

/** The options of `explain`. */
export interface ExplainGiven {
  html?: string
  json: boolean
  state: string
  from?: 'dev' | 'start'
}

/** Declares `framework explain`. */
export function configure(command: Command, { done, io }: CommandRun): void {
  configureExplain(command).action(async (event: ExplainedEvent | undefined, given: ExplainGiven) => {
    loadEnvFile(io.cwd, io.env)
    const { explainCommand } = await import('./explain-command.ts')
    done(await explainCommand({ ...given, ...(event !== undefined && { event }), io }))
  })
}
