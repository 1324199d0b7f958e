import { elapsedOf } from '@botwright/clock'
import { type Delivery, eventKey } from '@botwright/events/event'
import { authorStack, sourceLine } from '../../link/errors/source-line.ts'
import { readable, wholeMessage, wholeStack } from '../../link/errors/whole-error.ts'
import type { Outcome, RunFailure } from '../../link/ports.ts'
import { repeats } from '../../link/tasks/task-event.ts'
import { callsEnded } from '../../bot/context/bot-context.ts'
import { endHandler, type HandlerContext } from '../../bot/context/handler-context.ts'
import type { BotHost } from '../../bot/host.ts'
import type { Layer } from '../../bot/layer.ts'

/** Runs work of the bot's own, which no user waits for: its errors are only logged. Returns why it failed. */
export async function runOwn(
  ctx: HandlerContext,
  work: () => Promise<void>,
  { delivery, host, root, layer }: { delivery: Delivery; host: BotHost; root: string; layer: Layer },
): Promise<RunFailure | undefined> {
  const { file } = ctx
  const startedMs = elapsedOf(host.clock).monotonic()
  let error: Outcome['error']
  try {
    await work()
  } catch (reason) {
    const thrown = readable(reason)
    const message = wholeMessage(thrown)
    const stack = thrown instanceof Error ? authorStack(wholeStack(thrown)) : undefined
    const at = sourceLine(thrown, root, file) ?? file
    const details = layer.failed?.(thrown, at)
    error = { message, at, reference: '', ...(stack !== undefined && { stack }), ...(details && { details }) }
    host.log.error({ code: 'ERR_HANDLER', file, at, ...(stack && { stack }) }, `${at}: ${message}`)
  }
  endHandler(ctx)
  await callsEnded(ctx)
  host.observe?.({
    eventId: eventKey(delivery.event),
    type: delivery.event.type,
    file,
    ms: elapsedOf(host.clock).monotonic() - startedMs,
    result: error ? 'error' : 'ok',
    ...(error && { error }),
    ...(error && repeats(delivery) && { again: true }),
  })
  return error && { reason: `${error.at}: ${error.message}` }
}
