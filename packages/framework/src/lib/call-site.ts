const located = new WeakSet<Error>()
const FIRST_FRAME = '\n    at '
/** Between the author's line and this module stand some frames of the framework; V8 keeps 10 unless told otherwise. */
const FRAMES = 25

/**
 * Gives what an asynchronous function rejects with the stack of its call. An error that comes from another thread or from a socket
 * holds no line of the author's. V8 writes a stack out when it is read, so a call that succeeds pays for the capture alone.
 */
export function withCallSite<A extends unknown[], R>(run: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return function locate(...args: A): Promise<R> {
    const site: { stack?: string } = {}
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = FRAMES
    Error.captureStackTrace(site, locate)
    Error.stackTraceLimit = stackTraceLimit
    return run(...args).catch((error: unknown) => {
      if (error instanceof Error) moveTo(site, error)
      throw error
    })
  }
}

function moveTo(site: { stack?: string }, error: Error): void {
  // One error may end several calls: a signal's reason. It keeps the first place.
  if (located.has(error)) return
  located.add(error)
  const frames = site.stack?.slice(site.stack.indexOf(FIRST_FRAME)) ?? ''
  const stack = error.stack ?? `${error.name}: ${error.message}`
  const [head = ''] = stack.split(FIRST_FRAME, 1)
  const causes = stack.indexOf('\ncaused by ')
  Object.defineProperty(error, 'stack', {
    value: head + frames + (causes === -1 ? '' : stack.slice(causes)),
    configurable: true,
    writable: true,
  })
}
