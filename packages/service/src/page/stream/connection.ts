import { attach, type FromHub, type ToHub } from './hub.ts'
import type { FromWorker } from './worker.ts'

export type StreamConnection = { close: () => void }

const workerUrl = '/assets/stream.js'
/** The policy that the Content-Security-Policy of the page names: it allows this script only. */
const rules = { createScriptURL: (_url: string) => workerUrl }
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy: (name: string, policy: typeof rules) => typeof rules }
}
const policy = trustedTypes?.createPolicy('stream', rules) ?? rules

/** A port of the hub: in the worker that all pages share, or in this page if the browser has no shared workers. */
function openPort(onError: () => void): MessagePort {
  if (typeof SharedWorker === 'undefined') {
    const { port1, port2 } = new MessageChannel()
    attach(port2)
    return port1
  }
  const worker = new SharedWorker(policy.createScriptURL(workerUrl), { type: 'module' })
  // The script could not be loaded.
  worker.onerror = onError
  return worker.port
}

/** Connects this page to the hub of the browser, which follows the stream. */
export function connectStream(follow: Exclude<ToHub, 'leave'>, on: (message: FromHub) => void): StreamConnection {
  const port = openPort(() => on('lost'))
  const closed = new AbortController()
  /** A crashed worker sends nothing, but it no longer holds its lock. */
  const watch = (lock: string) =>
    navigator.locks
      .request(lock, { signal: closed.signal }, () => on('lost'))
      .catch((error: unknown) => {
        if (!closed.signal.aborted) throw error
      })
  port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (typeof data === 'object' && 'lock' in data) void watch(data.lock)
    else on(data)
  }
  port.postMessage(follow satisfies ToHub)
  const close = () => {
    removeEventListener('pagehide', leave)
    closed.abort()
    port.onmessage = null
    port.postMessage('leave' satisfies ToHub)
    port.close()
  }
  const leave = () => {
    close()
    // The browser may keep the page for its Back button.
    addEventListener('pageshow', () => on('lost'), { once: true })
  }
  addEventListener('pagehide', leave)
  return { close }
}
