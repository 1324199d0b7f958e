// Runs the author's function of a durable run, on the services that record its steps.

import type { BotwrightError } from '@botwright/protocol/facts'
import type { DurableMembers } from '../../../author/durable.ts'
import { hasCode } from '../../../author/error-code.ts'
import { isThenable } from '../../../author/outgoing.ts'
import { wordsOf } from '../../../author/texts/person-error.ts'
import { inEnglish, phrase } from '../../../author/texts/phrase.ts'
import { RunStore } from '../stored/run-store.ts'
import { createdMs } from '../stored/run-log.ts'
import type { Cancellation } from '../stored/cancellation.ts'
import type { Outcome } from '../../../link/ports.ts'
import type { Handler } from '../../../bot/compile-handler.ts'
import type { Context } from '../../../bot/context/context.ts'
import { endHandler } from '../../../bot/context/handler-context.ts'
import { againWords } from '../../conversations/again-words.ts'
import { notifyUser, questionChannels, reportFailure } from '../../../bot/report-failure.ts'
import type { HandlerFunction } from '../../../bot/guards/guarded.ts'
import type { DurableHandlersHost } from '../../../bot/durable-handlers.ts'
import { outsideRun, storeOfRun } from '../../plugins/store-of-run.ts'
import { approve } from './approve.ts'
import { addDurableMembers, durableServices, durableStore, type RunScope } from './durable-services.ts'
import { type LiveRun, roundOf } from './live-run.ts'
import { readInput } from './run-input.ts'
import { digestsIn } from './step-work.ts'

/** The context of a run's event, with the bot's own services. */
const plainContext = (host: DurableHandlersHost, { event }: LiveRun, handler: Handler): Context | undefined =>
  host.contextOf({ event, attempt: 1 }, handler, handler.services ?? host.services)

/** Creates the context of a run, with its members. Throws if the code no longer handles the event. */
function createContext(
  host: DurableHandlersHost,
  { id, file, event, startedMs, part, replay }: LiveRun,
  handler: Handler,
  scoped: Pick<RunScope, 'awaits' | 'expects' | 'posts' | 'continues'>,
): Context {
  // A run that begins again has another one.
  const record = `${id}#${part?.number ?? 0}@${part?.startedMs ?? startedMs}`
  const scope: RunScope = {
    // Each part has random values of its own.
    digest: digestsIn(replay, part ? `${id}#${part.number}` : id),
    round: roundOf({ part }),
    base: handler.services ?? host.services,
    waiting: host.waiting,
    root: host.root,
    replay,
    createQuestions: host.createQuestions,
    claims: (message, step) => new RunStore(host.services.store).claims(message, `${record}:${step}`, host.clock.now()),
    channel_id: typeof event.data['channel_id'] === 'string' ? event.data['channel_id'] : null,
    sinceMs: createdMs(event),
    ...scoped,
  }
  const services = durableServices(scope)
  const resumed = part ? { input: { given: part.input && readInput(part.input) } } : {}
  const ctx = host.contextOf({ event, attempt: 1 }, handler, services, resumed)
  if (!ctx) throw new Error(`${file} no longer handles this event`)
  addDurableMembers(ctx, scope)
  Object.assign(ctx, { approve: (options) => approve(ctx, options, scope) } satisfies Pick<DurableMembers, 'approve'>)
  return ctx
}

/** Runs the function of a run until it ends. Returns its error, which is reported. */
export async function runFunction(
  host: DurableHandlersHost,
  run: LiveRun,
  handler: Handler,
  scoped: Pick<RunScope, 'awaits' | 'expects' | 'posts' | 'continues'>,
): Promise<Outcome['error']> {
  const begin = await host.ready(handler)
  const ctx = createContext(host, run, handler, scoped)
  run.replay.watch()
  const work = () => runHandler(host, run, { ctx, begin })
  const { additions, store } = host.services
  return additions ? storeOfRun.run(durableStore(store, run.replay), work) : work()
}

async function runHandler(
  { root, log, giveUp }: DurableHandlersHost,
  run: LiveRun,
  { ctx, begin }: { ctx: Context; begin: HandlerFunction },
): Promise<Outcome['error']> {
  try {
    const running = begin(ctx)
    if (isThenable(running)) await running
  } catch (thrown) {
    // Its error is that it does not repeat its record.
    if (!run.replay.completes(true)) return undefined
    if (!hasCode(thrown, 'ERR_RUN_CANCELLED')) {
      if (hasCode(thrown, 'ERR_UNAUTHORIZED'))
        giveUp?.(run.event, 'the service refused the bot token (401) while it ran', run.file)
      const note = earlyEnd(thrown)
      if (note !== undefined) run.note = note
      return await reportFailure(thrown, ctx, { root, log })
    }
    await notifyUser(ctx, [wordsOf(thrown), againWords(ctx)], log)
  } finally {
    endHandler(ctx)
    await run.replay.own()
  }
  return undefined
}

/** Why a handler ended early because of its user, for the list of runs; undefined for a failure. */
function earlyEnd(error: unknown): string | undefined {
  if (hasCode(error, 'ERR_CANCELLED')) return 'its user cancelled a question'
  if (hasCode(error, 'ERR_ARGS')) return 'its user gave no valid answer'
  if (hasCode(error, 'ERR_REPLACED'))
    return 'a newer question to the same person in the same channel replaced its question'
  return hasCode(error, 'ERR_NO_REPLY') ? 'no answer came in time' : undefined
}

/** How a run ends whose code does not repeat its record, or that it begins again. */
type End = 'restart' | { error?: Outcome['error']; cancelled?: Cancellation }

/** Decides how the run ends: by a requested cancellation, or by its `version` and `onUpgrade`. Notifies its user. */
export const endMismatch = (...given: Parameters<typeof decideEnd>): Promise<End> =>
  outsideRun(() => decideEnd(...given))

async function decideEnd(
  host: DurableHandlersHost,
  run: LiveRun,
  { handler, error }: { handler: Handler; error: BotwrightError },
): Promise<End> {
  const { log, root } = host
  const { event, file, id, replay } = run
  const { version = 1, onUpgrade = 'cancel' } = handler.defined!
  const ctx = plainContext(host, run, handler)
  const { questionChannel } = replay
  if (ctx && questionChannel !== undefined) questionChannels.set(ctx, questionChannel)
  const isUpgrade = replay.version !== version
  if (!replay.requested && isUpgrade && onUpgrade === 'restart') {
    const change = `${file}: run ${id} of version ${replay.version} does not match version ${version}`
    log.info({ run: id, file }, `${change}, so it begins again`)
    return 'restart'
  }
  const upgraded = phrase('run.upgraded')
  const cancelled =
    replay.requested ??
    (isUpgrade && onUpgrade === 'cancel'
      ? { reason: `${inEnglish(upgraded)} (${error.message})`, words: upgraded }
      : undefined)
  if (cancelled) {
    if (ctx) await notifyUser(ctx, [cancelled.words, againWords(ctx)], log)
    return { cancelled }
  }
  const outcome = ctx && (await reportFailure(error, ctx, { root, log }))
  host.giveUp?.(event, error.message, file)
  return { error: outcome ?? { message: error.message, at: file, reference: '' } }
}
