const located = new WeakSet<Error>()
const FIRST_FRAME = '\n    at '
/** Enough for the framework's frames between an author's line and this module, and for the author's callers. */
const FRAMES = 25
/** Of a call: the framework has up to four between the author's line and this module. Each costs half a microsecond. */
const FRAMES_AT_CALL = 8

/**
 * Adds the caller's frames to the errors of an asynchronous function. An error from another thread or a socket has no frame of the
 * author's code. Frames of functions that await the call are captured after a failure, at no cost for calls that succeed. `atCall` also
 * captures the stack of each call, for functions that return its promise or drop it: about 4 µs per call.
 */
export function withCallSite<A extends unknown[], R>(
  run: (...args: A) => Promise<R>,
  atCall: boolean,
): (...args: A) => Promise<R> {
  return async function locate(...args: A): Promise<R> {
    const site = atCall ? captured(locate, FRAMES_AT_CALL) : undefined
    try {
      return await run(...args)
    } catch (error) {
      if (error instanceof Error) moveTo(framesOf(site) + framesOf(captured(captured)), error)
      throw error
    }
  }
}

interface Site {
  /** V8 formats it on first access. */
  stack?: string
}

function captured(below: (...args: never[]) => unknown, frames = FRAMES): Site {
  const site: Site = {}
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = frames
  Error.captureStackTrace(site, below)
  Error.stackTraceLimit = stackTraceLimit
  return site
}

function framesOf({ stack = '' }: Site = {}): string {
  const first = stack.indexOf(FIRST_FRAME)
  return first === -1 ? '' : stack.slice(first)
}

function moveTo(frames: string, error: Error): void {
  // One error can end several calls, such as a signal's reason. It keeps the first call site.
  if (located.has(error)) return
  located.add(error)
  const stack = error.stack ?? `${error.name}: ${error.message}`
  const [head = ''] = stack.split(FIRST_FRAME, 1)
  const causes = stack.indexOf('\ncaused by ')
  Object.defineProperty(error, 'stack', {
    value: head + frames + (causes === -1 ? '' : stack.slice(causes)),
    configurable: true,
    writable: true,
  })
}
