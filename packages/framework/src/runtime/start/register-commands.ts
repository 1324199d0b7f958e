import type { Command } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { hasCode } from '../../author/error-code.ts'
import type { Log } from '../../author/ports.ts'

/** What a registration would change. */
export interface CommandPlan {
  changed: boolean
  /** What would be added, get another description, or go. */
  steps: readonly { step: 'add' | 'describe' | 'remove'; name: string }[]
  /** For people: `+ poll, ~ ping (description), - old`, or `no change (3)`. */
  text: string
}

/** Compares what is registered with what the bot's files define. The order does not count. */
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
  const text = steps.map(({ step, name }) => stepTexts[step](name)).join(', ')
  return { changed: steps.length > 0, steps, text: text || `no change (${wanted.length})` }
}

const stepTexts = {
  add: (name: string) => `+ ${name}`,
  describe: (name: string) => `~ ${name} (description)`,
  remove: (name: string) => `- ${name}`,
}

const isCommand = (value: unknown): value is Command => typeof (value as Partial<Command> | null)?.name === 'string'

/**
 * Registers the bot's commands (§4, PUT /commands), only when they differ from what is registered. A service that refuses them, or
 * does not tell which there are, stops nothing else: it is logged, and the commands stay as they were. Throws `ERR_UNAUTHORIZED` and
 * `ERR_ABORTED`.
 */
export async function registerCommands(options: {
  call: Call
  commands: readonly Command[]
  log: Log
  signal?: AbortSignal
  /** The answer of GET /commands, where it was asked for already. */
  registered?: Promise<{ commands: readonly Command[] }>
  /** Asks again until there is an answer. Without it each call is made once. */
  patiently?: <T>(ask: () => Promise<T>) => Promise<T>
}): Promise<CommandPlan & { done: boolean }> {
  const { call, commands, log, signal, patiently = (ask) => ask() } = options
  const wanted = commands.map(({ name, description }) => ({ name, description }))
  let { registered } = options
  let plan = planCommands([], wanted)
  try {
    const answer = await patiently(() => {
      const asked = registered ?? call('commands.list', {}, { ...(signal && { signal }) })
      registered = undefined
      return asked
    })
    // An answer without a list, or with things in it that are no commands, tells nothing of them: they are registered anew.
    const listed: unknown[] = Array.isArray(answer.commands) ? answer.commands : []
    plan = planCommands(listed.filter(isCommand), wanted)
    if (plan.changed)
      await patiently(() => call('commands.replace', { commands: wanted }, { ...(signal && { signal }) }))
    // Told when it is done: whoever reads it may type the new command at once.
    log.info({ commands: wanted.length, changed: plan.changed }, `commands: ${plan.text}`)
    return { ...plan, done: true }
  } catch (error) {
    if (signal?.aborted || hasCode(error, 'ERR_UNAUTHORIZED') || hasCode(error, 'ERR_ABORTED')) throw error
    log.error({ error }, `the commands could not be registered: ${(error as Error).message}`)
    return { ...plan, done: false }
  }
}
