import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, expect, test } from 'vitest'
import { ChatRig } from '../chat-rig.test.fixture.ts'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
afterAll(() => trace.disable())

const files = {
  'commands/ping.ts':
    "export default async (ctx) => { await Promise.resolve(); await ctx.reply('pong'); await ctx.reply('again') }",
  'commands/boom.ts': "export default () => { throw new Error('boom') }",
}

test('each run of a handler is a span with its event and file, and the calls that it makes are its children', async () => {
  await using rig = await ChatRig.start()
  // Where a bot has it installed.
  mkdirSync(join(rig.root, 'node_modules'))
  const scope = fileURLToPath(new URL('../../../../../node_modules/@opentelemetry', import.meta.url))
  symlinkSync(scope, join(rig.root, 'node_modules/@opentelemetry'))
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
})

test('a bot without OpenTelemetry is told what to install', async () => {
  await using rig = await ChatRig.start()
  await expect(rig.startBot(files, { config: { tracing: true } })).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringContaining('npm i @opentelemetry/api'),
  })
})
