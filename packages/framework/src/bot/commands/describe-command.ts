import type { Arg, ArgsShape } from '../../author/args/arg.ts'
import { defaultOf, usageOf } from '../../author/args/usage.ts'
import type { Defined } from '../../author/definition.ts'
import { phrase } from '../../author/texts/phrase.ts'
import type { ArgHelp, CommandHelp, Definition, Entry } from '../../author/files/entries.ts'

/** The metadata of a command as plain data, for its registration and for `/help`, which does not load the module. */
export function describeCommand(entry: Entry, defined: Defined | undefined): Definition {
  const { aliases = [], hidden, description } = defined ?? {}
  const help = defined && helpOf(entry, defined)
  return {
    ...entry,
    description: description?.trim() || defaultDescription(entry),
    ...(aliases.length > 0 && { aliases: [...aliases] }),
    ...(hidden && { hidden }),
    ...(help && { help }),
  }
}

/** `role-add` becomes "Role add". */
function defaultDescription({ name }: Entry): string {
  const words = name.replace(/[ _-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function helpOf(entry: Entry, defined: Defined): CommandHelp | undefined {
  const { args = {} } = defined
  const examples = bareExamples(entry.name, defined)
  // The guards' descriptions: "only in servers", "limited to one use per 10 s".
  const rules = (defined.guards ?? []).map(({ describe }) => describe)
  if (Object.keys(args).length === 0 && examples.length === 0 && rules.length === 0) return undefined
  return {
    usage: usageOf(args),
    args: argsHelp(args),
    examples,
    rules,
  }
}

/** The examples of a command, without the command itself. */
export const bareExamples = (name: string, { examples = [] }: Pick<Defined, 'examples'>): string[] =>
  examples.map((example) => bareExample(name, example))

/** Removes the command from an example, if its author included it. */
export function bareExample(name: string, example: string): string {
  const trimmed = example.trim()
  const command = [`/${name}`, `!${name}`].find((one) => trimmed === one || trimmed.startsWith(`${one} `))
  return command === undefined ? trimmed : trimmed.slice(command.length).trim()
}

const argsHelp = (args: ArgsShape): ArgHelp[] =>
  Object.entries(args).map(([name, arg]) => {
    const shown = switchedOn(arg) ? phrase('help.on') : defaultOf(arg)
    return {
      name: arg.takes === 'flag' || arg.named ? `--${name}` : name,
      takes: arg.takes,
      ...(arg.mostWords > 1 && { mostWords: arg.mostWords }),
      ...(arg.choices && { choices: arg.choices }),
      ...(arg.number && { number: arg.number }),
      expects: arg.takes === 'flag' ? phrase('kind.switch') : arg.expects,
      ...(arg.about !== undefined && { about: arg.about }),
      ...(shown !== undefined && { default: shown }),
      ...(arg.absent && { optional: true as const }),
    }
  })

const switchedOn = ({ takes, absent }: Arg<unknown>): boolean =>
  takes === 'flag' && absent !== undefined && 'value' in absent && absent.value === true
