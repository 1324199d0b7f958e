// Functions whose store is slow, whose resources cannot be opened, and whose work takes longer than one run.

import { onTestFinished, expect, test, vi } from 'vitest'
import { once } from 'node:events'
import { connect } from 'node:net'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { withImports } from '../routes/route-rig.test.fixture.ts'
import { EventMarks } from './event-marks.ts'
import { FunctionRig } from './function-rig.test.fixture.ts'

/** The first test of the file stands for these. */
const slow = { tags: 'all/live' } as const

const framework = new URL('../../../dist/index.js', import.meta.url).href

/** A store that calls `before` before each request. */
const storeWith = (store: StateStore, before: (method: keyof StateStore, key: string) => unknown): StateStore => ({
  get: async (key) => (await before('get', key), store.get(key)),
  set: async (key, ...rest) => (await before('set', key), store.set(key, ...rest)),
  delete: async (key, ...rest) => (await before('delete', key), store.delete(key, ...rest)),
  list: async (prefix, ...rest) => (await before('list', prefix), store.list(prefix, ...rest)),
})

/** Values that the handlers of a test see. */
function shared<T extends object>(values: T): T {
  const all = globalThis as { ofHardTimes?: object }
  all.ofHardTimes = values
  onTestFinished(() => void delete all.ofHardTimes)
  return values
}

const vote = `[{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: 'vote' }] }]`

/** A clock that the test alone moves. */
function stoppedClock(): AdvanceableClock {
  const startMs = Date.now()
  return new AdvanceableClock({ now: () => startMs, monotonic: () => 0, after: () => ({ cancel: () => {} }) })
}

test('a click is acknowledged 2 s after it arrived, however slow the store is', async () => {
  const seen = shared({ end: undefined as (() => void) | undefined, slowMs: 0 })
  const files = {
    'commands/poll.ts': `export default (ctx) => ctx.reply({ content: 'vote', components: ${vote} })`,
    'buttons/vote.ts': 'export default () => new Promise((resolve) => (ofHardTimes.end = resolve))',
  }
  await using it = await FunctionRig.start(files, {
    clock: stoppedClock(),
    openStore: async (clock) =>
      storeWith(new MemoryStore(clock), (_, key) => {
        if (!key.startsWith('function:event')) return
        clock.advance(seen.slowMs)
        seen.slowMs = 0
      }),
  })
  await it.scheduled()
  await it.rig.says('ann', '/poll')
  await it.texts(1)
  await it.idle()
  seen.slowMs = 1900
  await it.rig.clicks()
  await it.rig.until(() => seen.end !== undefined)
  expect(await it.rig.callbacks()).toEqual([])
  it.clock.advance(100)
  await it.rig.until(async () => (await it.rig.callbacks()).length > 0)
  seen.end?.()
})

test('an event that the store accepts after the response is handled before its platform ends', slow, async () => {
  const seen = shared({ texts: [] as string[] })
  const files = {
    'commands/ping.ts': `export default async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      ofHardTimes.texts.push('pong')
    }`,
  }
  let open = () => {}
  let isReached = false
  const gate = new Promise<void>((resolve) => (open = resolve))
  await using it = await FunctionRig.start(files, {
    hasWebhook: false,
    openStore: async (clock) =>
      storeWith(new MemoryStore(clock), (method, key) => {
        if (method !== 'set' || !key.startsWith('function:event')) return undefined
        isReached = true
        return gate
      }),
  })
  await it.scheduled()
  await it.rig.says('ann', '/ping')
  const { id, type: event, data } = (await it.events()).at(-1)!
  const status = it.post({ id, event, data })
  await it.rig.until(() => isReached)
  it.clock.advance(2500)
  expect(await status).toBe(503)
  const idle = it.idle()
  open()
  await idle
  expect(seen.texts).toEqual(['pong'])
})

test('an event runs once the resources of the bot can be opened, however long that takes', slow, async () => {
  const seen = shared({ isDown: true, texts: [] as string[] })
  const written = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => written.mockRestore())
  const files = {
    'resources/db.ts': `import { resource } from '${framework}'
      export default resource({ open: () => { if (ofHardTimes.isDown) throw new Error('the database is down'); return {} } })`,
    'commands/ping.ts': 'export default (ctx) => void ofHardTimes.texts.push(ctx.redelivered ? "again" : "pong")',
  }
  await using it = await FunctionRig.start(files, { config: { limits: { handlerSeconds: 5 } } })
  // It registers the commands.
  await expect(it.scheduled()).rejects.toThrow('the database is down')
  seen.isDown = false
  await it.scheduled()
  seen.isDown = true
  await it.rig.says('ann', '/ping')
  await it.rig.until(async () => (await it.events()).length > 0)
  await it.idle()
  for (let i = 0; i < 5; i++) {
    it.clock.advance(60 * 60_000)
    await expect(it.scheduled()).rejects.toThrow('the database is down')
  }
  seen.isDown = false
  await it.scheduled()
  await it.scheduled()
  expect(seen.texts).toEqual(['pong'])
})

test('a scheduled run begins tasks for 45 s, and leaves the others to the next one', slow, async () => {
  const seen = shared({ count: 0, advance: (_ms: number): void => {} })
  const files = {
    'tasks/tick.ts': `import { task } from '${framework}'
      export default task({ every: '10m', missed: 'all', run: () => { ofHardTimes.count++; ofHardTimes.advance(30_000) } })`,
  }
  await using it = await FunctionRig.start(files, { hasWebhook: false })
  seen.advance = (ms) => it.clock.advance(ms)
  await it.scheduled()
  it.clock.advance(2 * 60 * 60_000)
  await it.scheduled()
  expect(seen.count).toBe(2)
  await it.scheduled()
  expect(seen.count).toBe(4)
})

test('a first event that arrives by webhook leaves the kept ones to the next scheduled run', slow, async () => {
  const files = { 'events/message.ts': 'export default (ctx) => (ctx.content.endsWith("?") ? ctx.content : undefined)' }
  await using it = await FunctionRig.start(files, { config: { start: 'kept' }, hasWebhook: false })
  for (const word of ['none', 'one?', 'two?', 'three?']) await it.rig.says('ann', word)
  const { id, type: event, data } = (await it.events()).at(-1)!
  expect(await it.post({ id, event, data })).toBe(200)
  await it.idle()
  await it.scheduled()
  expect((await it.texts(3)).sort()).toEqual(['one?', 'three?', 'two?'])
})

test('events after the first one of a service are found by the next scheduled run', slow, async () => {
  const files = { 'events/message.ts': 'export default (ctx) => (ctx.content.endsWith("?") ? ctx.content : undefined)' }
  await using it = await FunctionRig.start(files, { hasWebhook: false })
  const data = { channel_id: it.rig.channel('general'), id: '0', content: 'none', author: 'ann', author_id: '0' }
  expect(await it.post({ id: 1, event: 'message', data })).toBe(200)
  await it.idle()
  await it.rig.says('ann', 'none')
  await it.rig.says('ann', 'two?')
  await it.scheduled()
  expect(await it.texts(1)).toEqual(['two?'])
})

test('stored requests wait while the bot cannot be loaded, without an attempt', slow, async () => {
  const seen = shared({ isDown: false, bodies: [] as unknown[] })
  const written = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => written.mockRestore())
  const files = withImports({
    'resources/db.ts': `import { resource } from '${framework}'
      export default resource({ open: () => { if (ofHardTimes.isDown) throw new Error('the database is down'); return {} } })`,
    'routes/order.ts':
      'export default route({ verify: false, retry: true, run: (ctx) => void ofHardTimes.bodies.push(ctx.body) })',
  })
  await using it = await FunctionRig.start(files, { config: { limits: { handlerSeconds: 5 } }, hasWebhook: false })
  await it.scheduled()
  const request = {
    method: 'POST',
    path: '/order',
    params: {},
    query: '',
    headers: { 'content-type': 'application/json' },
    text: '"one"',
  }
  await it.store.set('route:row:1', {
    route: 'POST /order',
    atMs: it.clock.now(),
    queue: 'POST /order ',
    state: 'waiting',
    request,
  })
  seen.isDown = true
  for (let i = 0; i < 10; i++) {
    it.clock.advance(60 * 60_000)
    await expect(it.scheduled()).rejects.toThrow('the database is down')
  }
  seen.isDown = false
  await it.scheduled()
  expect(seen.bodies).toEqual(['one'])
})

test('a new event is not skipped as an old one if the clock of the host is wrong', slow, async () => {
  const files = { 'events/message.ts': 'export default (ctx) => ctx.content' }
  const clock = new AdvanceableClock({ ...systemClock, now: () => systemClock.now() + 60 * 60_000 })
  await using it = await FunctionRig.start(files, { config: { catchUp: { message: '2m' } }, clock, hasWebhook: false })
  await it.scheduled()
  await it.rig.says('ann', 'hello')
  await it.scheduled()
  expect(await it.rig.texts()).toEqual(['hello', 'hello'])
})

test('an event whose mark cannot be read yet is left for the next scheduled run', slow, async () => {
  const clock = stoppedClock()
  const store = new MemoryStore(clock)
  // A replica that lags.
  const marks = new EventMarks({
    store: { ...storeWith(store, () => {}), get: async () => undefined },
    clock,
    log: console,
  })
  const event = { id: 7, type: 'message', data: {}, created_at: '' }
  expect(await marks.claim(event, clock.now() + 1000)).toEqual({ attempt: 1 })
  expect(await marks.claim(event, clock.now() + 1000)).toBe('runs elsewhere')
})

test('an invocation that fails after its time takes no event back that another one has run', slow, async () => {
  const clock = stoppedClock()
  const marks = new EventMarks({ store: new MemoryStore(clock), clock, log: console })
  const event = { id: 7, type: 'message', data: {}, created_at: '' }
  const claim = () => marks.claim(event, clock.now() + 1000)
  expect(await claim()).toEqual({ attempt: 1 })
  const late = marks.run(event, 1, async () => {
    clock.advance(2000)
    expect(await claim()).toEqual({ attempt: 2 })
    await marks.run(event, 2, async () => {})
    throw new Error('the database is down')
  })
  await expect(late).rejects.toThrow('the database is down')
  expect(await claim()).toBe('done')
})

test('an event that cannot be returned keeps the error of its handlers', slow, async () => {
  const clock = stoppedClock()
  const lines: string[] = []
  const marks = new EventMarks({
    store: storeWith(new MemoryStore(clock), (method) => {
      if (method === 'get') throw new Error('the store is away')
    }),
    clock,
    log: { ...console, warn: (_: object, line: string) => void lines.push(line) },
  })
  const event = { id: 7, type: 'message', data: {}, created_at: '' }
  expect(await marks.claim(event, clock.now() + 1000)).toEqual({ attempt: 1 })
  const running = marks.run(event, 1, () => Promise.reject(new Error('the database is down')))
  await expect(running).rejects.toThrow('the database is down')
  expect(lines).toEqual(['event 7 runs again only after the time of this invocation: the store is away'])
})

test('a request that the store does not accept is answered with 500, and its reason is logged', slow, async () => {
  const written = vi.spyOn(console, 'log').mockReturnValue()
  const failed = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => void [written, failed].map((spy) => spy.mockRestore()))
  const files = withImports({ 'routes/order.ts': 'export default route({ verify: false, run: () => {} })' })
  await using it = await FunctionRig.start(files, {
    hasWebhook: false,
    openStore: async (clock) =>
      storeWith(new MemoryStore(clock), (method, key) => {
        if (method === 'set' && key.startsWith('route:')) throw new Error('the store is full')
      }),
  })
  await it.scheduled()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${it.url}/order`, { method: 'POST', body: '{}', headers })
  expect([response.status, await response.json()]).toEqual([500, { error: 'the bot could not answer this request' }])
  const errors = () => written.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('"error"'))
  expect(errors()).toEqual([expect.stringContaining('"msg":"POST /order could not be answered: the store is full"')])
  // The bot is not at fault if a sender goes away.
  const gone = connect(Number(new URL(it.url).port), '127.0.0.1')
  gone.write('POST /order HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{')
  await new Promise((resolve) => setTimeout(resolve, 100))
  gone.destroy()
  await once(gone, 'close')
  await new Promise((resolve) => setTimeout(resolve, 100))
  await it.idle()
  expect([errors().length, failed.mock.calls]).toEqual([1, []])
})

test('a task waits while the bot cannot be loaded, without an attempt', slow, async () => {
  const seen = shared({ isDown: false, count: 0 })
  const written = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => written.mockRestore())
  const files = {
    'resources/db.ts': `import { resource } from '${framework}'
      export default resource({ open: () => { if (ofHardTimes.isDown) throw new Error('the database is down'); return {} } })`,
    'tasks/tick.ts': `import { task } from '${framework}'
      export default task({ every: '1d', missed: 'once', run: () => void ofHardTimes.count++ })`,
  }
  await using it = await FunctionRig.start(files, { config: { limits: { handlerSeconds: 5 } }, hasWebhook: false })
  await it.scheduled()
  const dayMs = 24 * 60 * 60_000
  it.clock.advance(dayMs - (it.clock.now() % dayMs) + 1000)
  seen.isDown = true
  for (let i = 0; i < 3; i++) {
    await expect(it.scheduled()).rejects.toThrow('the database is down')
    it.clock.advance(2 * 60_000)
  }
  seen.isDown = false
  await it.scheduled()
  expect(seen.count).toBe(1)
})

test('a request leaves stored ones to later while the bot cannot be loaded, without an attempt', slow, async () => {
  const seen = shared({ isDown: false, bodies: [] as unknown[] })
  const written = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => written.mockRestore())
  const files = withImports({
    'resources/db.ts': `import { resource } from '${framework}'
      export default resource({ open: () => { if (ofHardTimes.isDown) throw new Error('the database is down'); return {} } })`,
    'routes/order.ts': 'export default route({ verify: false, run: (ctx) => void ofHardTimes.bodies.push(ctx.body) })',
  })
  await using it = await FunctionRig.start(files, { config: { limits: { handlerSeconds: 5 } }, hasWebhook: false })
  await it.scheduled()
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', path: '/order', params: {}, query: '', headers, text: '"one"' }
  const row = { route: 'POST /order', atMs: it.clock.now(), queue: 'POST /order ', state: 'waiting', request }
  await it.store.set('route:row:1', row)
  seen.isDown = true
  for (let i = 0; i < 10; i++) {
    it.clock.advance(60 * 60_000)
    expect((await fetch(`${it.url}/order`, { method: 'POST', body: '"two"', headers })).status).toBe(503)
    await it.idle()
  }
  seen.isDown = false
  await it.scheduled()
  expect(seen.bodies).toEqual(['one'])
})

test('a click whose bot could not be loaded is acknowledged, and runs once the bot can be loaded', slow, async () => {
  const seen = shared({ isDown: false })
  const written = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => written.mockRestore())
  const files = {
    'resources/db.ts': `import { resource } from '${framework}'
      export default resource({ open: () => { if (ofHardTimes.isDown) throw new Error('the database is down'); return {} } })`,
    'commands/poll.ts': `export default (ctx) => ctx.reply({ content: 'vote', components: ${vote} })`,
    'buttons/vote.ts': 'export default () => "done"',
  }
  await using it = await FunctionRig.start(files)
  await it.scheduled()
  await it.rig.says('ann', '/poll')
  await it.texts(1)
  await it.idle()
  seen.isDown = true
  await it.rig.clicks()
  await it.rig.until(() => written.mock.calls.some(([line]) => String(line).includes('the database is down')))
  await it.idle()
  expect(await it.rig.callbacks()).toEqual(['ack'])
  written.mockClear()
  it.clock.advance(60_000)
  await new Promise((resolve) => setTimeout(resolve, 100))
  // No timer is left.
  expect(written.mock.calls).toEqual([])
  seen.isDown = false
  await it.scheduled()
  expect(await it.rig.callbacks()).toEqual(['ack', 'reply'])
})
