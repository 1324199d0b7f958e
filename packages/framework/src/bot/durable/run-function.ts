// Runs the author's function of a durable run, on the services that record its steps.

import type { Delivery } from '@botwright/events/event'
import type { Questions } from '../../author/ask-options.ts'
import { hasCode } from '../../author/error-code.ts'
import { isThenable } from '../../author/outgoing.ts'
import { wordsOf } from '../../author/texts/person-error.ts'
import type { Outcome } from '../../link/ports.ts'
import type { Handler } from '../compile-handler.ts'
import { continueConversation } from '../context/button-context.ts'
import type { Context } from '../context/context.ts'
import { endHandler } from '../context/handler-context.ts'
import type { ConversationHost } from '../conversation/conversation.ts'
import { againWords } from '../conversation/again-words.ts'
import type { Waiting } from '../conversation/waiting.ts'
import { notifyUser, reportFailure } from '../failure.ts'
import type { HandlerFunction } from '../guards/guarded.ts'
import type { BotHost } from '../host.ts'
import type { BotServices } from '../services.ts'
import { deliveryOf } from './delivery-of.ts'
import { addDurableMembers, durableServices, type RunScope } from './durable-services.ts'
import type { LiveRun } from './live-run.ts'

/** The dependencies of the runs. */
export interface DurableHost extends BotHost {
  waiting: Waiting
  root: string
  services: BotServices
  handlers: readonly Handler[]
  createQuestions: (host: ConversationHost) => Questions
  ready: (handler: Handler) => Promise<HandlerFunction>
  /** Creates the context of a delivery with these services. */
  contextOf: (delivery: Delivery, handler: Handler, services: BotServices) => Context | undefined
  /** Called with each replay of a dropped run. For code in this thread: a test's. */
  loading?: ((replayed: Promise<unknown>) => void) | undefined
}

/** The context of a run's event, with the bot's own services. */
export const plainContext = (host: DurableHost, { event }: LiveRun, handler: Handler): Context | undefined =>
  host.contextOf(deliveryOf(event), handler, handler.services ?? host.services)

/** Creates the context of a run, with its members. Throws if the code no longer handles the event. */
function createContext(
  host: DurableHost,
  { id, file, event, replay }: LiveRun,
  handler: Handler,
  scoped: Pick<RunScope, 'awaits' | 'expects'>,
): Context {
  const scope: RunScope = {
    id,
    base: handler.services ?? host.services,
    waiting: host.waiting,
    replay,
    createQuestions: host.createQuestions,
    channel_id: typeof event.data['channel_id'] === 'string' ? event.data['channel_id'] : null,
    ...scoped,
  }
  const services = durableServices(scope)
  const ctx = host.contextOf(deliveryOf(event), handler, services)
  if (!ctx) throw new Error(`${file} no longer handles this event`)
  addDurableMembers(ctx, scope, services)
  continueConversation(ctx)
  return ctx
}

/** Runs the function of a run until it ends. Returns its error, which is reported. */
export async function runFunction(
  host: DurableHost,
  run: LiveRun,
  handler: Handler,
  scoped: Pick<RunScope, 'awaits' | 'expects'>,
): Promise<Outcome['error']> {
  const { root, log } = host
  const begin = await host.ready(handler)
  const ctx = createContext(host, run, handler, scoped)
  try {
    const running = begin(ctx)
    if (isThenable(running)) await running
  } catch (thrown) {
    if (!hasCode(thrown, 'ERR_RUN_CANCELLED')) {
      if (hasCode(thrown, 'ERR_UNAUTHORIZED'))
        host.giveUp?.(run.event, 'the service refused the bot token (401) while it ran', run.file)
      return await reportFailure(thrown, ctx, root, log)
    }
    await notifyUser(ctx, [wordsOf(thrown), againWords(ctx)], log)
  } finally {
    endHandler(ctx)
    await run.replay.flush()
  }
  return undefined
}
