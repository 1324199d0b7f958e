import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { startBot, withImports } from './route-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const request = (path: string, n = 0) => {
  const headers = { 'content-type': 'application/json' }
  return new Request(`http://bot.test${path}`, { method: 'POST', headers, body: JSON.stringify({ n }) })
}

test('a request that runs during a reload ends with the former code, and those behind it run with the new code', async () => {
  await using rig = await ChatRig.start()
  const free = join(rig.root, 'free')
  const files = (version: string) => {
    const wait = `while (!existsSync(${JSON.stringify(free)})) await new Promise((end) => setTimeout(end, 5))`
    const run = (respond: boolean) => `import { existsSync } from 'node:fs'
      export default route({ verify: false, respond: ${respond}, run: async (ctx) => {
        await ctx.send(ctx.env.CHANNEL, '${version} began ' + ctx.body.n)
        ${wait}
        ${respond ? `return '${version}'` : `await ctx.send(ctx.env.CHANNEL, '${version} ended ' + ctx.body.n)`}
      } })`
    return { 'routes/job.ts': run(false), 'routes/ask.ts': run(true) }
  }
  const bot = await startBot(rig, files('former'))
  expect((await bot.fetch(request('/job', 1))).status).toBe(202)
  const answer = bot.fetch(request('/ask', 2))
  await rig.until(async () => (await rig.texts()).length === 2)
  expect((await bot.fetch(request('/job', 3))).status).toBe(202)
  await bot.replace(rig.source(withImports(files('new'))))
  expect((await bot.fetch(request('/job', 4))).status).toBe(202)
  expect((await rig.texts()).sort()).toEqual(['former began 1', 'former began 2'])
  writeFileSync(free, '')
  expect(await (await answer).text()).toBe('former')
  await rig.until(async () => (await rig.texts()).includes('new ended 4'))
  expect((await rig.texts()).filter((text) => !text.endsWith('2'))).toEqual([
    ...['former began 1', 'former ended 1', 'new began 3', 'new ended 3', 'new began 4', 'new ended 4'],
  ])
  expect([...rig.logged('warn'), ...rig.logged('error')]).toEqual([])
})

test('a reload brings new routes and methods, and a request to a removed one gets 404 or 405', slow, async () => {
  await using rig = await ChatRig.start()
  const route = (text: string) => `export default route({ verify: false, respond: true, run: () => '${text}' })`
  const files = { 'routes/old.ts': route('old'), 'routes/both.ts': route('post'), 'routes/both.get.ts': route('get') }
  const bot = await startBot(rig, files)
  const of = async (given: Request) => {
    const response = await bot.fetch(given)
    return [response.status, await response.text()]
  }
  expect(await of(request('/old'))).toEqual([200, 'old'])
  expect(await of(request('/new'))).toEqual([404, '{"error":"there is no such route"}'])
  await bot.replace(rig.source(withImports({ 'routes/new.ts': route('new'), 'routes/both.get.ts': route('get') })))
  expect(await of(request('/old'))).toEqual([404, '{"error":"there is no such route"}'])
  expect(await of(request('/new'))).toEqual([200, 'new'])
  expect(await of(request('/both'))).toEqual([405, '{"error":"the method must be GET"}'])
  await bot.replace(rig.source({ 'commands/ping.ts': "export default () => 'pong'" }))
  expect(await of(request('/new'))).toEqual([404, '{"error":"there is no such route"}'])
})

test(
  'requests during many reloads get their response from the former or the new code, and none is lost',
  { tags: ['all/real-time'] },
  async () => {
    await using rig = await ChatRig.start()
    const files = (n: number) => {
      const run = (respond: boolean) =>
        `export default route({ verify: false, respond: ${respond}, run: (ctx) => ctx.state.bot.update('count', (was = 0) => was + 1).then(() => 'fine') })`
      // The second file comes and goes.
      return { 'routes/job.ts': run(false), ...(n % 2 === 0 && { 'routes/ask.ts': run(true) }) }
    }
    const bot = await startBot(rig, files(0))
    let isOver = false
    const statuses = { job: new Set<number>(), ask: new Set<number>() }
    const send = async (path: 'job' | 'ask') => {
      let accepted = 0
      while (!isOver) {
        const { status } = await bot.fetch(request(`/${path}`))
        statuses[path].add(status)
        if (status < 300) accepted++
        // A refusal takes no turn of the event loop.
        await new Promise((next) => setImmediate(next))
      }
      return accepted
    }
    const sending = Promise.all([send('job'), send('ask')])
    for (let n = 1; n <= 6; n++) await bot.replace(rig.source(withImports(files(n))))
    isOver = true
    const accepted = (await sending).reduce((sum, one) => sum + one)
    await rig.until(async () => (await bot.store.list('route:row:')).length === 0)
    expect({ job: [...statuses.job], ask: [...statuses.ask].sort() }).toEqual({ job: [202], ask: [200, 404] })
    expect((await bot.store.list('state:bot:count')).map(({ value }) => value)).toMatchObject([{ value: accepted }])
    expect(await bot.store.list('route:aside:')).toEqual([])
  },
)
