import { attach, type FromHub } from './hub.ts'

/** From the worker to a page: also the lock that the worker holds as long as it lives. */
export type FromWorker = FromHub | { lock: string }

/** Browsers have locks on secure origins only, such as http://127.0.0.1. */
const { locks } = navigator as { locks?: LockManager }
const lock =
  locks &&
  new Promise<string>((held) => {
    const name = `stream ${crypto.randomUUID()}`
    void locks.request(name, () => {
      held(name)
      return new Promise(() => {})
    })
  })

// The shared worker of the pages: it lives as long as one of them is open, so closing a page loses no event of the others.
addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0]!
  attach(port)
  void lock?.then((name) => port.postMessage({ lock: name } satisfies FromWorker))
})
