import { commandNameRule } from '@botwright/protocol/facts'
import type { ArgPlace } from '../../author/args/arg.ts'
import { argsProblem, argsReader } from '../../author/args/read-args.ts'
import type { Defined } from '../../author/definition.ts'
import { isWord, nearestWord } from '../../author/did-you-mean.ts'
import { hasCode } from '../../author/error-code.ts'
import type { Entry } from '../../author/files/entries.ts'
import { isThenable } from '../../author/outgoing.ts'
import { bareExample } from './describe-command.ts'

/** The problem with a command's definition, if any, so that loading the bot reports it and not the first use. */
export function commandProblem(
  { name }: Entry,
  { args, aliases, description, hidden, examples }: Defined,
): string | undefined {
  if (description !== undefined && typeof description !== 'string') return 'description must be a string'
  if (hidden !== undefined && typeof hidden !== 'boolean') return 'hidden must be true or false'
  return (
    (args && argsProblem(args)) ??
    listProblem('aliases', aliases) ??
    aliases?.map((alias) => aliasProblem(name, alias)).find((problem) => problem !== undefined) ??
    listProblem('examples', examples) ??
    examples?.map((example) => exampleProblem(name, example, args)).find((problem) => problem !== undefined)
  )
}

function listProblem(field: string, value: unknown): string | undefined {
  if (value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'))) return undefined
  return `${field} must be a list of strings: ['…']`
}

function aliasProblem(name: string, alias: string): string | undefined {
  if (alias === name.split(' ').at(-1)) return `the alias "${alias}" is the command's own name; remove it`
  if (isWord(alias)) return undefined
  const near = nearestWord(alias)
  if (near === name.split(' ').at(-1)) return `the alias "${alias}" is the command's own name; remove it`
  return `an alias is ${commandNameRule}, and "${alias}" is not${near === undefined ? '' : `; write "${near}"`}`
}

/** Examples in `/help` must be valid. Names are not looked up, and the clock is at 1970, so that dates are in the future. */
function exampleProblem(name: string, example: string, args: Defined['args']): string | undefined {
  if (!args) return undefined
  try {
    const read = argsReader(args)(bareExample(name, example), examplePlace, `/${name}`)
    if (isThenable(read)) read.then(undefined, () => undefined)
    return undefined
  } catch (error) {
    if (!hasCode(error, 'ERR_ARGS')) return undefined
    return `the example "${example}" does not fit its args: ${error.message.split('\n', 1)[0]}`
  }
}

const examplePlace: ArgPlace = {
  server_id: '00000000-0000-0000-0000-000000000000',
  channel_id: '00000000-0000-0000-0000-000000000000',
  user: { id: '00000000-0000-0000-0000-000000000000', name: 'example' },
  clock: { now: () => 0, monotonic: () => 0, after: () => ({ cancel: () => undefined }) },
  get api(): never {
    throw new Error('examples cannot look anything up')
  },
  get state(): never {
    throw new Error('examples cannot look anything up')
  },
  get env(): never {
    throw new Error('variables are not available while a bot is built')
  },
}
