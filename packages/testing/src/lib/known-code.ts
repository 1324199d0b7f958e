import type { BotCopy } from '@botwright/dev/compile'
import type { BotSource, Definition } from '@botwright/framework'

interface Known {
  definitions: readonly Definition[]
  /** Other inputs of a module's definition. */
  env: string
}

const known = new WeakMap<object, Known>()

/** Records the definitions of a copy of the code. */
export function learn({ code }: BotCopy, definitions: readonly Definition[]): void {
  known.set(code, { definitions, env: JSON.stringify(process.env) })
}

/** Threads load by themselves: every module must be there, and messages to them are plain data. */
export function forThreads({ provide, ...source }: BotSource): BotSource {
  for (const file of Object.keys(source.modules)) provide?.(file)
  return source
}

/**
 * A module that loaded once without an error is loaded again only when it is used, as in production: a test uses one command
 * of many. Modules that may run while the clock advances are loaded before, because the clock does not wait for them.
 */
export function sourceOf({ code, source }: BotCopy): BotSource {
  const former = known.get(code)
  if (former?.env !== JSON.stringify(process.env)) return source
  const eager = source.manifest.entries.flatMap(({ kind, file }) =>
    kind === 'command' || kind === 'button' ? [] : [file],
  )
  return { ...source, definitions: former.definitions, eager }
}
