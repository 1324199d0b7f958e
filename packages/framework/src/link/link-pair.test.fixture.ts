import { MessageChannel } from 'node:worker_threads'
import { type Frame, Link } from './link.ts'

/** Two linked ends. Messages are cloned as between threads; `messages` lists those that each end sent. */
export function linkPair<A extends Readonly<Record<keyof A, object>>, B extends Readonly<Record<keyof B, object>>>(
  a: A,
  b: B,
) {
  const { port1, port2 } = new MessageChannel()
  const messages = { a: [] as (readonly Frame[])[], b: [] as (readonly Frame[])[] }
  const served: string[] = []
  const endA = new Link<A, B>({
    local: a,
    post: (frames) => (port1.postMessage(frames), messages.a.push(frames)),
  })
  const endB = new Link<B, A>({
    local: b,
    post: (frames) => (port2.postMessage(frames), messages.b.push(frames)),
    onServed: () => void served.push('b'),
  })
  port1.on('message', (frames: readonly Frame[]) => endA.receive(frames))
  port2.on('message', (frames: readonly Frame[]) => endB.receive(frames))
  return {
    ...{ a: endA, b: endB, messages, served },
    [Symbol.dispose]: () => {
      port1.close()
      port2.close()
    },
  }
}
