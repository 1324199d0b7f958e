import { startTestBot } from '@botwright/testing'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, expect, test } from 'vitest'

// The recipe for OpenTelemetry in packages/framework/docs/errors.md.

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
afterAll(() => trace.disable())

test('a failure is a span with an exception', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url))
  await expect(chat.person('bob').says('/fail')).rejects.toThrow('no tea left')
  await expect.poll(() => exporter.getFinishedSpans().length).toBe(1)
  const [span] = exporter.getFinishedSpans()
  expect(span!.attributes).toMatchObject({ kind: 'handler', file: 'commands/fail.ts' })
  expect(span!.events.map(({ name, attributes }) => [name, attributes?.['exception.type']])).toEqual([
    ['exception', 'TypeError'],
  ])
  expect(span!.events[0]!.attributes!['exception.stacktrace']).toContain('commands/fail.ts:6')
})
