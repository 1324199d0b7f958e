import type { BotCopy } from '@botwright/dev/compile'
import type { BotSource, Definition } from '@botwright/framework'

interface Known {
  definitions: readonly Definition[]
  /** What else a module may have made its definition of. */
  env: string
}

const known = new WeakMap<object, Known>()

/** Notes what a copy of the code has defined. */
export function learn({ code }: BotCopy, definitions: readonly Definition[]): void {
  known.set(code, { definitions, env: JSON.stringify(process.env) })
}

/** Threads load by themselves: all that they may load is there, and what is sent to them is plain. */
export function forThreads({ provide, ...source }: BotSource): BotSource {
  for (const file of Object.keys(source.modules)) provide?.(file)
  return source
}

/**
 * What has been loaded once, and came out right, is loaded again only when it is used, as in production: in a test that is one command
 * of many. All that may run while the clock leaps stays loaded before: time would go on without it.
 */
export function sourceOf({ code, source }: BotCopy): BotSource {
  const former = known.get(code)
  if (former?.env !== JSON.stringify(process.env)) return source
  const eager = source.manifest.entries.flatMap(({ kind, file }) =>
    kind === 'command' || kind === 'button' ? [] : [file],
  )
  return { ...source, definitions: former.definitions, eager }
}
