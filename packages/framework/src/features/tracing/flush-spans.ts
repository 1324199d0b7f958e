import { loadApi } from './opentelemetry.ts'

/** Providers of an SDK, and the one that the API puts before it. Classes are of no use: the SDK may use another copy of them. */
interface Flushing {
  forceFlush: () => Promise<void>
}
interface Delegating {
  getDelegate: () => object
}

/**
 * Exports what the SDK of this thread has collected: it exports every few seconds, and a thread or a process that ends loses the rest.
 * Signals reach only the main thread, so an SDK cannot do this for the threads of handlers. A provider rejects with a list.
 */
export async function flushSpans(root: string): Promise<void> {
  const { trace, metrics } = loadApi(root)
  const providers = [trace.getTracerProvider(), metrics.getMeterProvider()].map(behind)
  const flushed = await Promise.allSettled(providers.filter(canFlush).map((one) => one.forceFlush()))
  for (const one of flushed) if (one.status === 'rejected') throw [one.reason].flat()[0]
}

const behind = (provider: object | Delegating): object =>
  'getDelegate' in provider ? provider.getDelegate() : provider

const canFlush = (provider: object): provider is Flushing => 'forceFlush' in provider
