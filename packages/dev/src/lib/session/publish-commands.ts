import type { Definition } from '@botwright/framework'
import { inEnglish } from '@botwright/framework/start'
import { characters, shortened } from '@botwright/protocol/facts'
import { type ArgHelp, type CommandHelp, helpBounds } from '@botwright/service/people'
import type { DevReport } from './dev-report.ts'
import { refusalOf } from '../local-service/limited-body.ts'
import type { LocalService } from '../local-service/local-service.ts'

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

/**
 * Sends the commands with their arguments to the local service after each start and reload, one call after the other. The page
 * works without them, so an error is a warning.
 */
export function commandPublisher(
  { baseUrl, token }: Pick<LocalService, 'baseUrl' | 'token'>,
  report: Pick<DevReport, 'warning'>,
): (definitions: readonly Definition[]) => void {
  const url = new URL('/dev/v1/commands', baseUrl)
  const publish = async (definitions: readonly Definition[]) => {
    const response = await fetch(url, {
      method: 'PUT',
      headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ commands: commandHelp(definitions) }),
    })
    if (!response.ok) throw await refusalOf(response)
    await response.body?.cancel()
  }
  let last: Promise<void> = Promise.resolve()
  return (definitions) => {
    last = last
      .then(() => publish(definitions))
      .catch((error: unknown) => {
        report.warning(`the page cannot complete the arguments of commands: ${(error as Error).message}`)
      })
  }
}
