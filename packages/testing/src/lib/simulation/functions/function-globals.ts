// The globals that functions use and a process of the runtime does not: `fetch`, the console, and signals that abort after a time.

import type { SimWorld } from '../sim-world.ts'

interface Given {
  world: SimWorld
  fetch: (url: URL, init: RequestInit) => Promise<Response>
  /** Receives what is written to the console. */
  write: (text: string) => void
}

/** Replaces them until the result is called. */
export function installFunctionGlobals({ world, fetch, write }: Given): () => void {
  const former = { fetch: globalThis.fetch, log: console.log, error: console.error }
  const timeout = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout')!
  globalThis.fetch = ((url: string, init: RequestInit = {}) => fetch(new URL(url), init)) as typeof globalThis.fetch
  console.log = (text: unknown) => write(String(text))
  console.error = (text: unknown) => write(String(text))
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController()
    // It keeps nothing alive.
    world.timeline.after(ms, () => controller.abort(new DOMException('the time is over', 'TimeoutError')))
    return controller.signal
  }
  return () => {
    globalThis.fetch = former.fetch
    console.log = former.log
    console.error = former.error
    Object.defineProperty(AbortSignal, 'timeout', timeout)
  }
}
