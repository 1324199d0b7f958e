// `commandTools`: describes the commands of a bot to a language model, and runs those that it calls.

import { BotwrightError, cut, didYouMean } from '@botwright/protocol/facts'
import type { Context } from '../../author/context.ts'
import { quoteWord } from '../../author/texts/typed-words.ts'
import type { ArgHelp, Definition } from '../../author/files/entries.ts'
import { inEnglish } from '../../author/texts/phrase.ts'
import type { CommandTool, CommandToolsOptions, ToolResult, ToolSchema } from '../../author/tools.ts'
import { commandsWithRules } from '../../bot/context/message-context.ts'
import { servicesOf } from '../../bot/services.ts'

/** Longer inputs are not parsed: no command takes more text than a message (§2). */
const LONGEST_INPUT = 20_000

/**
 * The commands of the bot as tools for a language model, in the form that most models take. The command that asks is not among them, nor
 * are durable commands. Throws `ERR_INVALID_REQUEST` if a name in `only` is none of them, or if the event has no channel.
 */
export function commandTools(ctx: Context, { only }: CommandToolsOptions = {}): CommandTool[] {
  if (ctx.channel_id === null)
    throw new BotwrightError('ERR_INVALID_REQUEST', `${ctx.file}: commandTools requires an event of a channel`)
  const callable = commandsWithRules(servicesOf(ctx).definitions).filter(
    ({ file, durable }) => file !== ctx.file && durable !== true,
  )
  const all = new Map(callable.map((one) => [one.name, one]))
  const chosen = only?.map((name) => all.get(name) ?? unknownCommand(ctx, name, [...all.keys()]))
  const used = new Set<string>()
  return (chosen ?? callable.filter(({ hidden }) => hidden !== true)).map((definition) => {
    let name = definition.name.replaceAll(' ', '_')
    while (used.has(name)) name += '_'
    used.add(name)
    const args = definition.help?.args ?? []
    return {
      name,
      description: descriptionOf(definition),
      parameters: schemaOf(args),
      async call(input) {
        const typed = typedOf(args, input)
        return typeof typed === 'string' ? servicesOf(ctx).runCommand(ctx, definition, typed) : typed
      },
    }
  })
}

function unknownCommand({ file }: Context, name: string, known: readonly string[]): never {
  const near = didYouMean(name, known)
  const hint = near === undefined ? '' : `; did you mean "${near}"?`
  throw new BotwrightError(
    'ERR_INVALID_REQUEST',
    `${file}: commandTools has no command "${name}" that a model can call${hint}`,
  )
}

function descriptionOf({ description = '', help }: Definition): string {
  const rules = (help?.rules ?? []).map((rule) => inEnglish(rule))
  return rules.length === 0 ? description : `${description} (${rules.join(', ')})`
}

/** As it is declared: in the help, a switch is `--secret`. */
const argName = ({ name }: ArgHelp): string => name.replace(/^--/, '')

function schemaOf(args: readonly ArgHelp[]): ToolSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(args.map((one) => [argName(one), propertyOf(one)])),
    required: args.filter(({ optional }) => optional !== true).map(argName),
    additionalProperties: false,
  }
}

function propertyOf(arg: ArgHelp): Record<string, unknown> {
  const { takes, about, expects, default: value } = arg
  const description = [
    about,
    takes === 'flag' || arg.choices ? undefined : inEnglish(expects),
    value === undefined ? undefined : `default: ${inEnglish(value)}`,
  ]
    .filter((part) => part !== undefined)
    .join('; ')
  if (takes === 'words') return { type: 'array', items: typeOf(arg), description }
  return { ...typeOf(arg), ...(description !== '' && { description }) }
}

function typeOf({ takes, number, choices }: ArgHelp): Record<string, unknown> {
  if (takes === 'flag') return { type: 'boolean' }
  if (choices) return { type: 'string', enum: [...choices] }
  if (!number) return { type: 'string' }
  const { whole, min, max } = number
  return {
    type: whole ? 'integer' : 'number',
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  }
}

const refused = (text: string): ToolResult => ({ ok: false, text })

/** The input as a user would type it, each argument by its name: the command then reads and checks it as usual. Or the refusal. */
function typedOf(args: readonly ArgHelp[], given: unknown): string | ToolResult {
  const input = parsed(given)
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return refused('the arguments must be a JSON object')
  const names = args.map(argName)
  const words: string[] = []
  for (const [name, value] of Object.entries(input)) {
    if (!names.includes(name)) {
      const near = didYouMean(name, names)
      return refused(`there is no argument "${cut(name, 100)}"${near === undefined ? '' : `; did you mean "${near}"?`}`)
    }
    // Models also send null for what they leave out.
    if (value === null || value === undefined) continue
    const values: unknown[] = Array.isArray(value) ? value : [value]
    for (const one of values) {
      if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean')
        return refused(`${name} must be a text, a number, true, false, or a list of them`)
      words.push(`--${name}=${quoteWord(String(one), true)}`)
    }
  }
  return words.join(' ')
}

/** Models send arguments as JSON, which may be cut off; undefined if it cannot be parsed. */
function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given
  if (given.length > LONGEST_INPUT) return undefined
  try {
    return given.trim() === '' ? {} : JSON.parse(given)
  } catch {
    return undefined
  }
}
