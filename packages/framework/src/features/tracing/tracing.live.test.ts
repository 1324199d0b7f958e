import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Context,
  context,
  type ContextManager,
  metrics,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

/** The setup of an SDK for Node: the context follows promises. */
const stored = new AsyncLocalStorage<Context>()
const contexts: ContextManager = {
  active: () => stored.getStore() ?? ROOT_CONTEXT,
  with: (active, run, self, ...args) =>
    stored.run(active, () => run.call(self as ThisParameterType<typeof run>, ...args)),
  bind: (_, target) => target,
  enable: () => contexts,
  disable: () => contexts,
}
context.setGlobalContextManager(contexts)

/** The active spans when undici starts requests: the parents of the spans of its instrumentation. */
const parents: { path: string; parent: SpanContext | undefined }[] = []
const onRequest = (message: unknown) => {
  const { path } = (message as { request: { path: string } }).request
  parents.push({ path, parent: trace.getSpanContext(context.active()) })
}
subscribe('undici:request:create', onRequest)

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
trace.setGlobalTracerProvider(provider)
afterAll(() => {
  unsubscribe('undici:request:create', onRequest)
  trace.disable()
  context.disable()
})

const files = {
  'commands/ping.ts':
    "export default async (ctx) => { await Promise.resolve(); await ctx.reply('pong'); await ctx.reply('again') }",
  'commands/boom.ts': "export default () => { throw new Error('boom') }",
}

/** Installs OpenTelemetry in the bot's folder. */
function install(root: string): void {
  mkdirSync(join(root, 'node_modules'))
  const scope = fileURLToPath(new URL('../../../../../node_modules/@opentelemetry', import.meta.url))
  symlinkSync(scope, join(root, 'node_modules/@opentelemetry'))
}

test('each handler run is a span with its event and file, and its calls are child spans', async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  const bot = await rig.startBot(files, { dispatcher: 'inline', config: { tracing: true } })
  await rig.says('ann', '/ping')
  await rig.says('ann', '/boom', 'random')
  await rig.says('ann', 'nobody handles this', 'c1')
  await rig.until(() => bot.stats().finished === 3)
  const spans = exporter.getFinishedSpans()
  const roots = spans.filter((span) => span.parentSpanContext === undefined)
  expect(roots.map(({ name }) => name).toSorted()).toEqual(['commands/boom.ts', 'commands/ping.ts'])
  const pinged = roots.find(({ name }) => name === 'commands/ping.ts')!
  expect(pinged.attributes).toMatchObject({
    'botwright.event.type': 'message',
    'botwright.handler.file': 'commands/ping.ts',
    'botwright.attempt': 1,
  })
  const children = spans.filter((span) => span.parentSpanContext?.spanId === pinged.spanContext().spanId)
  expect(children.map(({ name }) => name)).toEqual(['messages.create', 'messages.create'])
  const failed = roots.find(({ name }) => name === 'commands/boom.ts')!
  expect(failed.status).toEqual({ code: SpanStatusCode.ERROR, message: 'boom' })
  expect(failed.attributes['botwright.reference']).toMatch(/^\w{4}$/)
  expect(failed.events).toMatchObject([
    {
      name: 'exception',
      attributes: {
        'exception.type': 'Error',
        'exception.message': 'boom',
        'exception.stacktrace': expect.stringContaining('boom'),
      },
    },
  ])
})

test('a refused call records an exception on its span, and requests are children of the span of their call', async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  exporter.reset()
  parents.length = 0
  const bot = await rig.startBot(
    {
      'commands/gone.ts':
        "export default async (ctx) => { await ctx.api.users.get({ user_id: '00000000-0000-4000-8000-000000000000' }).catch(() => {}); await ctx.reply('gone') }",
    },
    { dispatcher: 'inline', config: { tracing: true } },
  )
  await rig.says('ann', '/gone')
  await rig.until(() => bot.stats().finished === 1)
  const [refused, created] = ['users.get', 'messages.create'].map((one) =>
    exporter.getFinishedSpans().find(({ name }) => name === one),
  )
  expect(refused?.events).toMatchObject([
    {
      name: 'exception',
      attributes: { 'exception.type': 'ServiceError', 'exception.message': expect.stringContaining('not found') },
    },
  ])
  const parentOf = (path: RegExp) => parents.find((one) => path.test(one.path))?.parent
  expect(parentOf(/^\/v1\/users\//)?.spanId).toBe(refused?.spanContext().spanId)
  expect(parentOf(/^\/v1\/.*\/messages$/)).toMatchObject({
    traceId: created?.spanContext().traceId,
    spanId: created?.spanContext().spanId,
  })
})

test('spans have no values of declared variables, also if the process has other variables', async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  exporter.reset()
  const variables = { SHOP_ADDRESS: 'shop.intern.example' }
  const config = { tracing: true, env: z.object({ SHOP_ADDRESS: z.string() }) }
  const { stdout, stderr } = process
  const io = { stdout, stderr, env: { ...process.env, ...variables } }
  const files = { 'commands/buy.ts': "export default (ctx) => { throw new Error('no ' + ctx.env.SHOP_ADDRESS) }" }
  const bot = await rig.startBot(files, { dispatcher: 'inline', config, variables, io })
  await rig.says('ann', '/buy')
  await rig.until(() => bot.stats().finished === 1)
  const span = exporter.getFinishedSpans().find(({ name }) => name === 'commands/buy.ts')!
  expect(span.status.message).toBe('no [secret]')
  expect(JSON.stringify(span.events)).not.toContain(variables.SHOP_ADDRESS)
})

test("the supervisor's requests for a worker's calls are in the worker's trace", slow, async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  parents.length = 0
  const spans = join(rig.root, 'spans.jsonl')
  // In a file that NODE_OPTIONS imports into every thread.
  const sdk = `
    import { appendFileSync } from 'node:fs'
    import { trace } from '@opentelemetry/api'
    import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [{
      onStart() {}, forceFlush: async () => {}, shutdown: async () => {},
      onEnd: (span) => appendFileSync(${JSON.stringify(spans)}, JSON.stringify({ name: span.name, ...span.spanContext(), parent: span.parentSpanContext?.spanId }) + '\\n'),
    }] }))`
  const bot = await rig.startBot(
    { 'commands/ping.ts': `${sdk}\nexport default (ctx) => ctx.reply('pong')` },
    { dispatcher: 'worker', config: { tracing: true } },
  )
  await rig.says('ann', '/ping')
  await rig.until(() => bot.stats().finished === 1)
  const ended = readFileSync(spans, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; traceId: string; spanId: string; parent?: string })
  const run = ended.find(({ name }) => name === 'commands/ping.ts')
  const call = ended.find(({ name }) => name === 'messages.create')
  expect(call).toMatchObject({ traceId: run?.traceId, parent: run?.spanId })
  expect(parents.find(({ path }) => /^\/v1\/.*\/messages$/.test(path))?.parent).toMatchObject({
    traceId: run?.traceId,
    spanId: call?.spanId,
  })
})

test('the spans of all threads are exported before the bot stops', async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  const exported = join(rig.root, 'exported.txt')
  // A batching processor keeps spans for seconds.
  const sdk = `
    import { appendFileSync } from 'node:fs'
    import { trace } from '@opentelemetry/api'
    import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
    const batch = []
    const forceFlush = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      appendFileSync(${JSON.stringify(exported)}, batch.splice(0).map((name) => name + '\\n').join(''))
    }
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [{
      onStart() {}, onEnd: ({ name }) => batch.push(name), forceFlush, shutdown: async () => {},
    }] }))`
  const bot = await rig.startBot(
    {
      'commands/ping.ts': `${sdk}\nexport default (ctx) => ctx.reply('pong')`,
      'events/shutdown.ts': `import { trace } from '@opentelemetry/api'
        export default () => trace.getTracer('own').startSpan('the last one').end()`,
    },
    { dispatcher: 'worker', config: { tracing: true } },
  )
  await rig.says('ann', '/ping')
  await rig.until(() => bot.stats().finished === 1)
  const ofSupervisor = vi.spyOn(provider, 'forceFlush')
  await bot.stop()
  expect(readFileSync(exported, 'utf8').trim().split('\n')).toEqual(
    expect.arrayContaining(['messages.create', 'commands/ping.ts', 'the last one']),
  )
  expect(ofSupervisor).toHaveBeenCalledOnce()
})

test('spans are exported after the last request of the bot has ended', slow, async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  const bot = await rig.startBot(
    { 'commands/news.ts': "export default (ctx) => void ctx.broadcast([ctx.channel_id], 'news')" },
    { dispatcher: 'inline', config: { tracing: true } },
  )
  await rig.fault('POST', `/v1/channels/${rig.channel('general')}/messages`, { then: 'slow', seconds: 600 })
  const isSent = new Promise<void>((resolve) => {
    const sent = (message: unknown) => {
      const { method, path } = (message as { request: { method: string; path: string } }).request
      if (method !== 'POST' || !path.endsWith('/messages')) return
      unsubscribe('undici:client:sendHeaders', sent)
      resolve()
    }
    subscribe('undici:client:sendHeaders', sent)
  })
  await rig.says('ann', '/news')
  await isSent
  const order: string[] = []
  const over = () => void order.push('request')
  subscribe('undici:request:error', over)
  const flushing = vi.spyOn(provider, 'forceFlush').mockImplementation(async () => void order.push('export'))
  await bot.stop({ graceMs: 0 })
  unsubscribe('undici:request:error', over)
  flushing.mockRestore()
  expect(order.at(-1)).toBe('export')
  expect(order).toContain('request')
})

test('a stop whose last spans cannot be exported names the reason', slow, async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  const bot = await rig.startBot(files, { dispatcher: 'inline', config: { tracing: true } })
  const refused = vi.spyOn(provider, 'forceFlush').mockRejectedValue([new Error('connect ECONNREFUSED')])
  await bot.stop()
  refused.mockRestore()
  expect(rig.logged('error')).toEqual(['tracing: the export of the last spans failed: connect ECONNREFUSED'])
  expect(rig.logged('warn')).toEqual(['the last spans were not exported: connect ECONNREFUSED'])
})

test('a stop exports the last metrics although the spans are refused', slow, async () => {
  await using rig = await ChatRig.start()
  install(rig.root)
  let exported = 0
  const forceFlush = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    exported++
  }
  metrics.setGlobalMeterProvider(Object.assign(metrics.getMeterProvider(), { forceFlush }))
  const bot = await rig.startBot(files, { dispatcher: 'inline', config: { tracing: true } })
  const refused = vi.spyOn(provider, 'forceFlush').mockRejectedValue([new Error('connect ECONNREFUSED')])
  await bot.stop()
  refused.mockRestore()
  metrics.disable()
  expect(exported).toBe(2)
})

test('fails with the packages to install if OpenTelemetry is missing', async () => {
  await using rig = await ChatRig.start()
  await expect(rig.startBot(files, { config: { tracing: true } })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringContaining('npm i @opentelemetry/api'),
  })
  expect(rig.logged('warn')).toEqual([])
})
