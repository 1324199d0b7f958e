import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { withImports } from '../routes/route-rig.test.fixture.ts'
import { FunctionRig } from './function-rig.test.fixture.ts'

/** The first test of the file stands for these. */
const slow = { tags: 'all/live' } as const

const framework = new URL('../../../dist/index.js', import.meta.url).href

const files = withImports({
  'commands/ping.ts': 'export default () => "pong"',
  'routes/status.get.ts':
    'export default route({ verify: false, respond: true, run: (ctx) => ({ query: String(ctx.query) }) })',
  'routes/order.ts': `export default route({ verify: false, id: (request) => request.headers.get('x-id') ?? '',
    run: async (ctx) => void await ctx.send(process.env.CHANNEL_OF_ORDERS, 'order ' + JSON.stringify(ctx.body)) })`,
  'tasks/tick.ts': `import { task } from '${framework}'
    export default task({ every: '10m', run: async (ctx) => void await ctx.send(process.env.CHANNEL_OF_ORDERS, 'tick ' + ctx.scheduledAt.toISOString()) })`,
})

/** The time until the task is due. */
const toNextTick = ({ clock }: FunctionRig): number => 10 * 60_000 - (clock.now() % (10 * 60_000))

const start = async () => {
  const it = await FunctionRig.start(files)
  // Tests that advance the clock by a minute do not reach the time at which the task is due.
  if (toNextTick(it) < 90_000) it.clock.advance(90_000)
  process.env['CHANNEL_OF_ORDERS'] = it.rig.channel('general')
  await it.scheduled()
  return it
}

test('answers routes at once, and runs their stored requests after the response', async () => {
  await using it = await start()
  expect(await (await fetch(`${it.url}/status?a=1`)).json()).toEqual({ query: 'a=1' })
  expect((await fetch(`${it.url}/missing`)).status).toBe(404)
  const order = () =>
    fetch(`${it.url}/order`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'x-id': '7' },
    })
  expect((await order()).status).toBe(202)
  expect(await it.texts(1)).toEqual(['order {"a":1}'])
  await it.idle()
  // Its id is known.
  expect((await order()).status).toBe(202)
  await it.idle()
  await it.scheduled()
  expect(await it.texts(1)).toEqual(['order {"a":1}'])
})

test('a stored request whose instance was ended runs with the next scheduled run', slow, async () => {
  await using it = await start()
  // A platform that ends the instance with its response: the work that is left does not run.
  const ended: Promise<unknown>[] = []
  const request = new Request(`${it.url}/order`, {
    method: 'POST',
    body: '{"b":2}',
    headers: { 'content-type': 'application/json' },
  })
  expect((await it.fetch(request, { waitUntil: (work) => ended.push(work) })).status).toBe(202)
  await Promise.all(ended)
  const rows = await it.store.list('route:row:')
  expect(rows).toEqual([])
  expect(await it.texts(1)).toEqual(['order {"b":2}'])
  // The row of an instance that was ended while it ran the request.
  const untilMs = it.clock.now() + 60_000
  const left = { route: 'POST /order', atMs: it.clock.now(), queue: 'POST /order ', state: 'running' }
  const plain = {
    method: 'POST',
    path: '/order',
    params: {},
    query: '',
    headers: { 'content-type': 'application/json' },
  }
  await it.store.set('route:row:1', { ...left, machine: `gone@${untilMs}`, request: { ...plain, text: '{"c":3}' } })
  await it.scheduled()
  expect(await it.store.list('route:row:')).toHaveLength(1)
  it.clock.advance(61_000)
  await it.scheduled()
  expect(await it.texts(2)).toEqual(['order {"b":2}', 'order {"c":3}'])
})

test('a request that began before an earlier one was stored, and was interrupted, runs first', slow, async () => {
  await using it = await start()
  const request = {
    ...{ method: 'POST', path: '/order', params: {}, query: '' },
    headers: { 'content-type': 'application/json' },
  }
  const row = { route: 'POST /order', atMs: it.clock.now(), queue: 'POST /order ' }
  const machine = `gone@${it.clock.now() - 1}`
  await it.store.set('route:row:1', { ...row, state: 'waiting', request: { ...request, text: '{"a":1}' } })
  await it.store.set('route:row:2', { ...row, state: 'running', machine, request: { ...request, text: '{"b":2}' } })
  await it.scheduled()
  expect(await it.texts(2)).toEqual(['order {"b":2}', 'order {"a":1}'])
})

test('a due task runs once, whichever instance is scheduled', slow, async () => {
  await using it = await start()
  const other = await it.another(files)
  await it.scheduled()
  // Up to 5 minutes after its time, because the platform calls no earlier.
  it.clock.advance(toNextTick(it) + 5 * 60_000)
  await Promise.all([it.scheduled(), other.scheduled({}, it.env)])
  await it.scheduled()
  expect(await it.texts(1)).toHaveLength(1)
  it.clock.advance(10 * 60_000)
  await other.scheduled({}, it.env)
  const [one, two] = await it.texts(2)
  expect([one, two]).toEqual([expect.stringMatching(/^tick 2/), expect.stringMatching(/^tick 2/)])
  expect(one).not.toBe(two)
})

test('a scheduled run whose events cannot be read runs its tasks, and fails', slow, async () => {
  await using it = await start()
  it.clock.advance(toNextTick(it) + 1000)
  await it.rig.fault('GET', '/v1/events', { then: { status: 404 }, times: 1 })
  await expect(it.scheduled()).rejects.toThrow('events.list')
  expect(await it.texts(1)).toHaveLength(1)
  await it.rig.says('ann', '/ping')
  await it.scheduled()
  expect((await it.texts(2))[1]).toBe('pong')
})

test('resources are closed with their invocation, and modules stay open', slow, async () => {
  const seen: string[] = []
  ;(globalThis as { seenByFunctions?: string[] }).seenByFunctions = seen
  const files = {
    'resources/db.ts': `import { resource } from '${framework}'
      export default resource({ open: () => (seenByFunctions.push('open'), {}), close: () => void seenByFunctions.push('close') })`,
    'commands/ping.ts': `import { onDispose } from '${framework}'
      onDispose(() => seenByFunctions.push('disposed'))
      export default (ctx) => ctx.content`,
  }
  await using it = await FunctionRig.start(files)
  await it.scheduled()
  for (const word of ['one', 'two']) {
    await it.rig.says('ann', `/ping ${word}`)
    await it.rig.until(async () => (await it.texts(1)).includes(`/ping ${word}`))
    await it.idle()
  }
  expect(seen).toEqual(['open', 'close', 'open', 'close', 'open', 'close'])
  delete (globalThis as { seenByFunctions?: string[] }).seenByFunctions
})

test('a request begins stored ones for a moment only, so that none outlives its invocation', slow, async () => {
  const seen = { count: 0, advance: (_ms: number): void => {} }
  ;(globalThis as { seenByFunctions?: object }).seenByFunctions = seen
  const slowly = withImports({
    'routes/status.get.ts': 'export default route({ verify: false, respond: true, run: () => "up" })',
    'routes/order.ts':
      'export default route({ verify: false, run: () => { seenByFunctions.count++; seenByFunctions.advance(30_000) } })',
  })
  await using it = await FunctionRig.start(slowly, { hasWebhook: false })
  seen.advance = (ms) => it.clock.advance(ms)
  await it.scheduled()
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', path: '/order', params: {}, query: '', headers, text: '{}' }
  const waiting = { route: 'POST /order', atMs: it.clock.now(), queue: 'POST /order ', state: 'waiting', request }
  for (let i = 1; i <= 6; i++) await it.store.set(`route:row:${i}`, waiting)
  expect(await (await fetch(`${it.url}/status`)).text()).toBe('up')
  await it.idle()
  expect(seen.count).toBe(1)
  await it.scheduled()
  expect(seen.count).toBe(3)
  delete (globalThis as { seenByFunctions?: object }).seenByFunctions
})

test('requests to other paths cost no requests to the store, and run no code', slow, async () => {
  const asked: string[] = []
  await using it = await FunctionRig.start(files, {
    openStore: async (clock) => {
      const store = new MemoryStore(clock)
      return Object.assign(store, { list: async (prefix: string) => (asked.push(prefix), []) })
    },
  })
  for (const path of ['/missing', '/.env']) expect((await fetch(`${it.url}${path}`)).status).toBe(404)
  expect((await fetch(`${it.url}/status`, { method: 'POST' })).status).toBe(405)
  await it.idle()
  expect(asked).toEqual([])
})
