// @module-tag all/redis
// Routes on many instances: `framework start --cluster` in processes of their own, a real service, a real Redis.

import { expect } from 'vitest'
import { BotRig, framework, type InstanceProcess } from './bot-rig.test.fixture.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

async function start(): Promise<BotRig> {
  const rig = await BotRig.start()
  const files = {
    'routes/job.ts': `${rig.note}import { route } from '${framework}'
      export default route({
        verify: false,
        key: ({ body }) => body.key,
        run: async (ctx) => {
          note(ctx.body.key + ' ' + ctx.body.n + (ctx.redelivered ? ' again' : '') + ' ' + process.pid)
          if (ctx.body.key === 'fails') throw new Error('no such key')
          if (ctx.body.key === 'slow' && !ctx.redelivered) await new Promise(() => {})
        },
      })`,
  }
  rig.build('bot', files, 'export default { messageBudget: false, http: { port: 0 } }')
  return rig
}

const isReady = ({ output }: InstanceProcess) => output().includes('is ready')

async function post({ output }: InstanceProcess, body: object): Promise<void> {
  const [url = ''] = /http:[^\s"]+/.exec(/routes listening on \S+/.exec(output())?.[0] ?? '') ?? []
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/job`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status).toBe(202)
}

const pidOf = (note: string) => Number(note.split(' ').at(-1))

describeWithRedis('routes', () => {
  test('each instance accepts requests; each runs once, and those of a key in order', async () => {
    await using rig = await start()
    const [one, two] = [await rig.instance('bot'), await rig.instance('bot')]
    for (let n = 0; n < 12; n++) await post(n % 2 === 0 ? one : two, { key: n % 3 === 0 ? 'a' : 'b', n })
    await rig.until(() => rig.notes().length >= 12)
    const of = (key: string) => rig.notes().flatMap((note) => (note.startsWith(key) ? Number(note.split(' ')[1]) : []))
    expect({ a: of('a'), b: of('b') }).toEqual({ a: [0, 3, 6, 9], b: [1, 2, 4, 5, 7, 8, 10, 11] })
  })

  test('another instance runs a request again whose instance was killed', async () => {
    await using rig = await start()
    const [one, two] = [await rig.instance('bot'), await rig.instance('bot')]
    await post(one, { key: 'slow', n: 1 })
    await rig.until(() => rig.notes().length === 1)
    const owner = pidOf(rig.notes()[0]!) === one.child.pid ? one : two
    owner.child.kill('SIGKILL')
    await owner.ended
    await rig.until(() => rig.notes().length === 2)
    expect(rig.notes()[1]).toMatch(/^slow 1 again /)
  })

  test('framework requests lists the requests that were set aside in the Redis, and lets them run again', async () => {
    await using rig = await start()
    const one = await rig.instance('bot')
    await post(one, { key: 'fails', n: 1 })
    await rig.until(() => one.output().includes('is set aside'))
    const requests = async (...args: string[]) => {
      const { output, ended } = rig.run(['requests', '--json', ...args], { BOT_CLUSTER_URL: rig.redis.url })
      expect(await ended, output()).toBe(0)
      return JSON.parse(output()) as { requests: { id: string }[] }
    }
    const { requests: aside } = await requests()
    expect(aside).toMatchObject([{ route: 'POST /job', reason: expect.stringContaining('no such key') as string }])
    expect(await requests(aside[0]!.id)).toEqual({ run_again: [aside[0]!.id], not_set_aside: [] })
    await rig.until(() => rig.notes().length === 2)
  })

  test('the only instance of a bot runs a request again after kill -9, and then the next one', async () => {
    await using rig = await start()
    const first = rig.run(['start', 'bot'])
    await rig.until(() => isReady(first))
    await post(first, { key: 'slow', n: 1 })
    await rig.until(() => rig.notes().length === 1)
    await post(first, { key: 'slow', n: 2 })
    first.child.kill('SIGKILL')
    await first.ended
    const second = rig.run(['start', 'bot'])
    await rig.until(() => rig.notes().length === 3)
    expect(rig.notes().map((note) => note.replace(/ \d+$/, ''))).toEqual(['slow 1', 'slow 1 again', 'slow 2'])
    second.child.kill('SIGKILL')
    await second.ended
  })
})
