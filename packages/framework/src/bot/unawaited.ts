// Rejected promises that no code awaits, such as the call of a handler that has ended.

import type { Log } from '../author/ports.ts'
import { sourceLine } from '../link/errors/source-line.ts'
import { readable, wholeMessage } from '../link/errors/whole-error.ts'
import type { BotSource } from '../link/ports.ts'

/** The handlers whose calls failed with these errors: in production, such an error has no line of its author. */
const callers = new WeakMap<object, Caller>()

interface Caller {
  /** The file of the handler. */
  readonly file: string
  /** The log of its bot. */
  readonly log: Log
}

/** Remembers whose call has failed. An error that ends several calls keeps the first of them. */
export function noteCaller(error: unknown, caller: Caller): void {
  if (typeof error === 'object' && error !== null && !callers.has(error)) callers.set(error, caller)
}

const callerOf = (error: unknown): Caller | undefined =>
  typeof error === 'object' && error !== null ? callers.get(error) : undefined

export interface UnawaitedHost {
  readonly source: Pick<BotSource, 'modules' | 'root'>
  readonly log: Log
}

/** The place of an error in a module of the bot as it was loaded, or the file whose call failed. */
function ownPlaceOf(error: unknown, { modules }: UnawaitedHost['source']): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const [file, path] = Object.entries(modules).find(([, one]) => stack.includes(one)) ?? []
  if (file === undefined || path === undefined) return callerOf(error)?.file
  const row = /^:\d+/.exec(stack.slice(stack.indexOf(path) + path.length))
  return file + (row?.[0] ?? '')
}

function report(at: string, reason: unknown, log: Log): void {
  log.error(
    { code: 'ERR_HANDLER', file: at.replace(/:\d+$/, ''), error: reason },
    `${at}: a promise that no code awaits was rejected: ${wholeMessage(reason)}`,
  )
}

/** Logs such a rejection of a thread that runs only the bot: it harms no other handler. */
export function reportUnawaited(thrown: unknown, { source, log }: UnawaitedHost): void {
  const reason = readable(thrown)
  // Where stacks are mapped, they name the source instead of the module.
  report(ownPlaceOf(reason, source) ?? sourceLine(reason, source.root) ?? 'the bot', reason, log)
}

/** The bots that run in the thread of their process. */
const hosts = new Set<UnawaitedHost>()

const onRejection = (thrown: unknown): void => {
  const caller = callerOf(thrown)
  const reason = readable(thrown)
  for (const { source, log } of hosts) {
    // Several bots may share a thread.
    if (caller && caller.log !== log) continue
    const at = ownPlaceOf(reason, source)
    if (at !== undefined) return report(at, reason, log)
  }
  // A rejection of the program itself ends it, as it does without this listener.
  if (process.listenerCount('unhandledRejection') === 1) throw reason
}

/** Logs such rejections of a bot that shares its thread with the program. Returns a function that ends this. */
export function watchUnawaited(host: UnawaitedHost): () => void {
  if (hosts.size === 0) process.on('unhandledRejection', onRejection)
  hosts.add(host)
  return () => {
    if (hosts.delete(host) && hosts.size === 0) process.off('unhandledRejection', onRejection)
  }
}
