import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { command, integer } from '@botwright/framework'

export default command({
  description: 'Counts primes',
  args: { below: integer({ min: 2, max: 1_000_000 }) },
  async run(ctx) {
    const worker = new Worker(new URL('../lib/count-primes.ts', import.meta.url), { workerData: ctx.args.below })
    const [count] = (await once(worker, 'message')) as [number]
    return `${count} primes`
  },
})
