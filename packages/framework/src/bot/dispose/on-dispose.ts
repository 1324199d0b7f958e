import { type Disposal, disposals } from './disposal.ts'

/**
 * Releases resources of a file when its code ends: timers, sockets, watchers. `undo` runs when newer code has taken over and this
 * code's handlers and conversations have ended, and when the bot stops; the last registered one runs first. It has 2 s.
 * Returns a function that removes it. Without a running bot (a test of this file alone), nothing calls it.
 */
export function onDispose(undo: () => unknown): () => void {
  const [only, ...others] = disposals()
  const disposal = others.length === 0 ? only : ofCaller()
  return disposal?.add(undo, new Error('asked for here')) ?? (() => {})
}

/** Several bots may run in this thread: choose the one whose file is on the stack, or the one that was loaded last. */
function ofCaller(): Disposal | undefined {
  const newestFirst = disposals().toReversed()
  const files = filesOfStack()
  return newestFirst.find((one) => files.some((file) => one.owns(file))) ?? newestFirst[0]
}

/** Paths as they were loaded: source maps would map every copy of a bot to the same files. */
function filesOfStack(): string[] {
  const before = Object.getOwnPropertyDescriptors(Error)
  try {
    Error.prepareStackTrace = (_error, sites) => sites
    Error.stackTraceLimit = 50
    const sites = new Error().stack as unknown as NodeJS.CallSite[]
    return sites.map((site) => site.getFileName() ?? '')
  } finally {
    Error.stackTraceLimit = before.stackTraceLimit.value as number
    if (before.prepareStackTrace) Object.defineProperty(Error, 'prepareStackTrace', before.prepareStackTrace)
    else Reflect.deleteProperty(Error, 'prepareStackTrace')
  }
}
