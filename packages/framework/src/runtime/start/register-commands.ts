import type { Command } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { hasCode } from '../../author/error-code.ts'
import type { Log } from '../../author/ports.ts'

/** The changes of a registration. */
export interface CommandPlan {
  changed: boolean
  /** Commands to add, to change or to remove. */
  steps: readonly { step: 'add' | 'describe' | 'remove'; name: string }[]
  /** In words: `+ poll, ~ ping (description), - old`, or `no change (3)`. */
  text: string
}

/** Compares the registered commands with the bot's files. The order does not matter. */
export function planCommands(registered: readonly Command[], wanted: readonly Command[]): CommandPlan {
  const before = new Map(registered.map((command) => [command.name, command.description]))
  const names = new Set(wanted.map((command) => command.name))
  const steps: CommandPlan['steps'] = [
    ...wanted.filter(({ name }) => !before.has(name)).map(({ name }) => ({ step: 'add' as const, name })),
    ...wanted
      .filter(({ name, description }) => before.has(name) && before.get(name) !== description)
      .map(({ name }) => ({ step: 'describe' as const, name })),
    ...[...before.keys()].filter((name) => !names.has(name)).map((name) => ({ step: 'remove' as const, name })),
  ]
  const more = steps.length > MOST_NAMES ? `, and ${steps.length - MOST_NAMES} more` : ''
  const text =
    steps
      .slice(0, MOST_NAMES)
      .map(({ step, name }) => stepTexts[step](name))
      .join(', ') + more
  return { changed: steps.length > 0, steps, text: text || `no change (${wanted.length})` }
}

/** A line of the log has at most so many names. */
const MOST_NAMES = 8

const stepTexts = {
  add: (name: string) => `+ ${name}`,
  describe: (name: string) => `~ ${name} (description)`,
  remove: (name: string) => `- ${name}`,
}

const isCommand = (value: unknown): value is Command => typeof (value as Partial<Command> | null)?.name === 'string'

/**
 * Registers the bot's commands (§4, PUT /commands) if they differ from the registered ones. If the service
 * refuses them or does not list them, the error is logged, the commands stay unchanged, and the bot continues.
 * Throws `ERR_UNAUTHORIZED` and `ERR_ABORTED`.
 */
export async function registerCommands(options: {
  call: Call
  commands: readonly Command[]
  log: Log
  signal?: AbortSignal
  /** The response of GET /commands, if it was requested already. */
  registered?: Promise<{ commands: readonly Command[] }>
  /** Repeats a call until there is a response. Without it each call is made once. */
  patiently?: <T>(ask: () => Promise<T>) => Promise<T>
}): Promise<CommandPlan & { done: boolean }> {
  const { call, commands, log, signal, patiently = (ask) => ask() } = options
  const wanted = commands.map(({ name, description }) => ({ name, description }))
  let { registered } = options
  let plan = planCommands([], wanted)
  try {
    const answer = await patiently(() => {
      const request = registered ?? call('commands.list', {}, { ...(signal && { signal }) })
      registered = undefined
      return request
    })
    // A response without a list, or with invalid entries, is not usable: the commands are registered again.
    const listed: unknown[] = Array.isArray(answer.commands) ? answer.commands : []
    plan = planCommands(listed.filter(isCommand), wanted)
    if (plan.changed)
      await patiently(() => call('commands.replace', { commands: wanted }, { ...(signal && { signal }) }))
    // Logged afterwards, so that the commands work as soon as the line appears.
    log.info({ commands: wanted.length, changed: plan.changed }, `commands: ${plan.text}`)
    return { ...plan, done: true }
  } catch (error) {
    if (signal?.aborted || hasCode(error, 'ERR_UNAUTHORIZED', 'ERR_ABORTED')) throw error
    log.error({ error }, `the commands could not be registered: ${(error as Error).message}`)
    return { ...plan, done: false }
  }
}
