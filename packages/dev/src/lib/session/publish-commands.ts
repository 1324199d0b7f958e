import type { Definition } from '@botwright/framework'
import { inEnglish } from '@botwright/framework/start'
import type { ArgHelp, CommandHelp } from '@botwright/service/people'
import type { DevReport } from './dev-report.ts'
import { refusalOf } from '../local-service/limited-body.ts'
import type { LocalService } from '../local-service/local-service.ts'

/** The service accepts no more: a person would not scroll through them. */
const mostChoices = 200

type Args = NonNullable<Definition['help']>['args']

/** The commands of a bot as the page completes them. */
function commandHelp(definitions: readonly Definition[]): CommandHelp[] {
  return definitions
    .filter(({ kind, hidden }) => kind === 'command' && hidden !== true)
    .map(({ name, description = '', aliases = [], help }) => ({
      name,
      description,
      aliases: aliases.map((alias) => [...name.split(' ').slice(0, -1), alias].join(' ')),
      usage: help?.usage ?? '',
      args: argsOf(help?.args ?? []),
      examples: [...(help?.examples ?? [])],
    }))
}

const argsOf = (args: Args): ArgHelp[] =>
  args.map(({ expects, default: value, choices, ...rest }) => ({
    ...rest,
    expects: inEnglish(expects),
    ...(value !== undefined && { default: inEnglish(value) }),
    ...(choices && choices.length <= mostChoices && { choices: [...choices] }),
  }))

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
