import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export default async () => {
  const thread = new Worker(
    "setTimeout(() => require('node:worker_threads').parentPort.postMessage('Thought about it.'), 1300)",
    { eval: true },
  )
  return String((await once(thread, 'message'))[0])
}
