import type { Definition } from '@botwright/framework'
import { inEnglish } from '@botwright/framework/start'
import { characters, shortened } from '@botwright/protocol/facts'
import { type ArgHelp, type CommandHelp, helpBounds } from '@botwright/service/people'
import type { DevReport } from './dev-report.ts'
import type { LocalService } from '../local-service/local-service.ts'
import { pagePublisher } from './page-publisher.ts'

/** The beginning of a text: the service refuses longer ones, and all commands with them. */
const brief = (text: string): string => shortened(text, helpBounds.characters - 1)

type Args = NonNullable<Definition['help']>['args']

/** The commands of a bot as the page completes them. */
function commandHelp(definitions: readonly Definition[]): CommandHelp[] {
  return definitions
    .filter(({ kind, hidden }) => kind === 'command' && hidden !== true)
    .map(({ name, description = '', aliases = [], help }) => ({
      name,
      description: brief(description),
      aliases: aliases.slice(0, helpBounds.aliases).map((alias) => [...name.split(' ').slice(0, -1), alias].join(' ')),
      usage: brief(inEnglish(help?.usage ?? '')),
      args: argsOf(help?.args ?? []),
      examples: (help?.examples ?? []).slice(0, helpBounds.examples).map(brief),
    }))
}

const argsOf = (args: Args): ArgHelp[] =>
  args.slice(0, helpBounds.args).map(({ expects, about, default: value, choices, ...rest }) => ({
    ...rest,
    expects: brief(inEnglish(expects)),
    ...(about !== undefined && { about: brief(about) }),
    ...(value !== undefined && { default: brief(inEnglish(value)) }),
    ...(choices && areListed(choices) && { choices: [...choices] }),
  }))

/** A person would not scroll through more. */
const areListed = (choices: readonly string[]): boolean =>
  choices.length <= helpBounds.choices && choices.every((each) => characters(each) <= helpBounds.characters)

/** Sends the commands with their arguments to the local service after each start and reload. */
export function commandPublisher(
  service: Pick<LocalService, 'baseUrl' | 'token'>,
  report: Pick<DevReport, 'warning'>,
): (definitions: readonly Definition[]) => void {
  const publish = pagePublisher(service, '/commands', (reason) =>
    report.warning(`the page cannot complete the arguments of commands: ${reason}`),
  )
  return (definitions) => publish((send) => send({ commands: commandHelp(definitions) }))
}
