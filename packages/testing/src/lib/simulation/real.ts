// The real event loop, and the real work of this process.

/** The globals before a simulation replaces them. */
export const real = {
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  Date: globalThis.Date,
}
/** Ends when everything that is ready has run. */
export const realImmediate = (): Promise<void> => new Promise((resolve) => real.setImmediate(resolve))

/** These exist for as long as a connection or a thread is kept, also if it does nothing. */
const kept = /^(Immediate|MessagePort|Pipe|Signal|TCP|TTY|Timeout|Worker)/
const working = (): number => process.getActiveResourcesInfo().filter((kind) => !kept.test(kind)).length
let idle = 0

/** Whether the process reads files, such as those of a module that loads: simulated time waits for it. */
export function realWork(): boolean {
  const now = working()
  // A resource of the beginning has ended.
  idle = Math.min(idle, now)
  return now > idle
}

/** Longer than the process reads a file: later resources are there all the time. */
const READ_MS = 1000

/** Waits for files that the process still reads; whatever is there after this exists all the time. */
export async function becomeIdle(): Promise<void> {
  const endMs = performance.now() + READ_MS
  while (working() > 0 && performance.now() < endMs) await realImmediate()
  idle = working()
}
