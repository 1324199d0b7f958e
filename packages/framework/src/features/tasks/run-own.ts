import { elapsedOf } from '@botwright/clock'
import { type Delivery, eventKey } from '@botwright/events/event'
import { authorStack, sourceLine } from '../../link/errors/source-line.ts'
import { readable, wholeMessage, wholeStack } from '../../link/errors/whole-error.ts'
import { namesOf } from '../../bot/report-failure.ts'
import type { Outcome, RunFailure } from '../../link/ports.ts'
import { repeats } from '../../link/task-event.ts'
import { callsEnded } from '../../bot/context/bot-context.ts'
import { endHandler, type HandlerContext } from '../../bot/context/handler-context.ts'
import type { BotHost } from '../../bot/host.ts'
import type { Layer } from '../../bot/layer.ts'

interface OwnRun {
  delivery: Delivery
  host: BotHost
  root: string
  layer: Layer
  /** The reference of an error, which the sender of a request gets. Default: none, because no user waits. */
  referenceOf?: (message: string) => string
}

type OwnError = NonNullable<Outcome['error']>

/** Runs work of the bot's own: its errors are only logged. Returns the error with which it failed. */
export async function runOwn(
  ctx: HandlerContext,
  work: () => Promise<void>,
  own: OwnRun,
): Promise<OwnError | undefined> {
  const { delivery, host } = own
  const { file } = ctx
  const startedMs = elapsedOf(host.clock).monotonic()
  let error: OwnError | undefined
  try {
    await work()
  } catch (thrown) {
    error = logOwn(thrown, file, own)
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
  return error
}

/** Logs an error of work of the bot's own. `what`: what has failed, if it is not the work itself. */
export function logOwn(reason: unknown, file: string, { host, root, layer, referenceOf }: OwnRun, what = ''): OwnError {
  const thrown = readable(reason)
  const message = wholeMessage(thrown)
  const stack = thrown instanceof Error ? authorStack(wholeStack(thrown)) : undefined
  const at = sourceLine(thrown, root, file) ?? file
  const reference = referenceOf?.(message) ?? ''
  const details = layer.failed?.(thrown, at)
  const facts = { code: 'ERR_HANDLER', file, at, ...(reference !== '' && { reference }), ...(stack && { stack }) }
  host.log.error(facts, `${at}: ${what}${message}`)
  return { message, at, reference, ...namesOf(thrown), ...(stack && { stack }), ...(details && { details }) }
}

/** Why work of the bot's own failed, if it did. */
export const failureOf = (error: OwnError | undefined): RunFailure | undefined =>
  error && { reason: `${error.at}: ${error.message}` }
