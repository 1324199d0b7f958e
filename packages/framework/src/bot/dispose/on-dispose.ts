import { type Disposal, disposals } from './disposal.ts'

/**
 * Undoes what a file has begun when its code ends: timers, sockets, watchers. `undo` runs when newer code has taken over and this
 * code's handlers and conversations have ended, and when the bot stops; the last one that was asked for runs first. It may take 2 s.
 * Gives back a function that takes it back. Where no bot runs (a test of this file alone), nothing calls it.
 */
export function onDispose(undo: () => unknown): () => void {
  const [only, ...others] = disposals()
  const disposal = others.length === 0 ? only : ofCaller()
  return disposal?.add(undo, new Error('asked for here')) ?? (() => {})
}

/** Several bots run in this thread: it is the one whose file stands on the stack, or the one that was loaded last. */
function ofCaller(): Disposal | undefined {
  const newestFirst = disposals().toReversed()
  const files = filesOfStack()
  return newestFirst.find((one) => files.some((file) => one.owns(file))) ?? newestFirst[0]
}

/** As they are loaded: source maps would lead every copy of a bot to the same files. */
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
