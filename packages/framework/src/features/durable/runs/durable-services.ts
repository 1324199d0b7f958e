// The services of one durable run: everything that has an effect, or could return something else the next time, is a step.

import { BotwrightError, lowerId } from '@botwright/protocol/facts'
import { sleep } from '@botwright/clock'
import { createClient } from '@botwright/rest/client'
import type { CallOptions } from '@botwright/rest'
import type { EndpointName, Input, Output } from '@botwright/protocol/shapes'
import type { Delivery } from '@botwright/events/event'
import { choiceOf } from '../../../author/buttons/face.ts'
import type { DurableMembers } from '../../../author/durable.ts'
import { durationMs } from '../../../author/time/duration.ts'
import type { Log, StateStore } from '../../../author/ports.ts'
import { runOnce } from '../../../author/state/once.ts'
import { checkPlain } from '../../../author/state/plain-data.ts'
import type { Outbox } from '../../../link/ports.ts'
import { runKey, runKeyOf } from '../../../bot/context/bot-context.ts'
import type { Context } from '../../../bot/context/context.ts'
import { pauseTimeLimit } from '../../../bot/context/handler-context.ts'
import { SpilledParams } from '../../../bot/buttons/spilled-params.ts'
import type { AnswerWait, OpenQuestions, Talk } from '../../../bot/conversation/questions-host.ts'
import { outsideRun } from '../../plugins/store-of-run.ts'
import { findHeld, sentIdOf } from '../../quiet-hours/held-messages.ts'
import { type BotServices, derivedServices } from '../../../bot/services.ts'
import type { ApproveHost } from './approve.ts'
import { type Attempt, makeCall, postedBy, SKEW_MS } from './repeat-call.ts'
import type { Replay } from './replay.ts'
import { stepOf, waitOf, workIn, workOf } from './step-work.ts'
import type { Intent } from '../stored/run-log.ts'
import type { RunWait } from '../stored/run-store.ts'

/** A run may be retried, or begin again, after months of waiting. */
const ONCE_MS = 366 * 24 * 60 * 60_000

/** The recorded facts of a wait. */
export interface WaitData extends Omit<RunWait, 'step'> {
  /** The channel in which the user waits, if it is another one than that of the event. */
  channel_id?: string
}

/** The dependencies of a run's services. */
export interface RunScope extends ApproveHost {
  /** Draws hexadecimal digits, the same when the handler runs again. */
  digest: () => string
  /** How often `ctx.continueAs` has begun a part. */
  round: number
  base: BotServices
  /** Creates `ctx.ask` and its relatives. */
  createQuestions: OpenQuestions
  /** The channel of the event. */
  channel_id: string | null
  /** When the event happened, by the service. */
  sinceMs: number
  /** Whether a message belongs to this step of the run, and not to one of another run. */
  claims: (message: string, step: number) => Promise<boolean>
  /** Begins to wait for an answer or a time. `admits`: see `AnswerWait`. */
  awaits: (intent: Intent, admits?: AnswerWait['admits']) => void
  /** Called before a question is posted, with the key of its answers. */
  expects: (key: string) => void
  /** Called before a choice is posted, with its channel. */
  posts: (channel_id: string) => void
  /** Begins the next part of the run. Throws `ERR_INVALID_REQUEST` if the store cannot keep the input. */
  continues: (input: Readonly<Record<string, unknown>> | undefined) => void
}

/** Runs commands for a model: each has a context of its own, which records nothing, so that all of it is one step. */
const toolsOf =
  ({ runCommand }: BotServices, replay: Replay): BotServices['runCommand'] =>
  (asker, definition, typed) => {
    const work = (call: string) => outsideRun(() => runCommand(asker, definition, typed, call))
    const within = workOf(replay)
    if (within) return work(`${within.intent.step}.${++within.tools}`)
    const step = { kind: 'step', name: `tool ${definition.name}`, args: typed }
    return replay.step(step, (intent) => work(String(intent.step))) as ReturnType<typeof work>
  }

/** The services of the bot, as steps of this run. */
export function durableServices(scope: RunScope): BotServices {
  const { base, replay, waiting, channel_id, digest } = scope
  const clock = runClock(scope)
  const channelOf = (input: unknown) =>
    replay.clickChannels.get(lowerId((input as { interaction_id?: string }).interaction_id ?? '')) ?? channel_id
  const call = <N extends EndpointName>(name: N, input: Input<N>, options?: CallOptions) => {
    const posted = postedBy(name, input, channelOf(input))
    if (posted?.channel_id !== undefined && posted.buttons.some((one) => choiceOf(one) !== undefined))
      scope.posts(posted.channel_id)
    const sinceMs = Math.max(replay.serviceMs, scope.sinceMs)
    return stepOf(replay, { kind: 'call', name, data: posted, args: input }, ({ step, atMs, data }, repeats) => {
      const claims = (id: string) => scope.claims(id, step)
      // Written before the result is.
      const made = (id: string) => replay.before(() => claims(id))
      const { ownMessages } = replay
      const since = { me: base.me, sinceMs: atMs - SKEW_MS }
      // An answer to a click is not held.
      const held: Attempt['held'] = async (channel_id, isSame) =>
        name === 'messages.create' ? findHeld(base.tasks.store, { ...since, channel_id }, isSame) : undefined
      const attempt = {
        ...{ me: base.me.id, clock: base.clock, posted: data },
        ...{ atMs, sinceMs, ownMessages, claims, held, made },
        sentId: (id: string) => sentIdOf(base.tasks.store, id),
      }
      return makeCall(base.call, attempt, [name, input, options], repeats)
    }) as Promise<Output<N>>
  }
  const store = durableStore(base.store, replay)
  const log = quietLog(base.log, replay)
  const talk = (): Talk => ({
    answer: undefined,
    during: (work) => work(),
    end: () => Promise.resolve(),
    async wait({ key, sinceMs, timeoutMs, what, channel_id, admits }: AnswerWait) {
      const data: WaitData = {
        ...{ key, sinceMs, dueMs: replay.nowMs + timeoutMs, what },
        ...(channel_id !== undefined && { channel_id }),
      }
      const step = { kind: 'answer', name: key, data, args: timeoutMs }
      return waitOf(replay, step, (intent) => scope.awaits(intent, admits)) as Promise<Received>
    },
  })
  // A plugin's store has only the values of its own handlers.
  const shared = durableStore(base.tasks.store, replay)
  let api: BotServices['api'] | undefined
  return derivedServices(base, {
    call,
    clock,
    log,
    store,
    outbox: durableOutbox(base.outbox, replay),
    tasks: { ...base.tasks, store: shared, draw: () => digest().slice(0, 12) },
    spilled: new SpilledParams({ store: shared, clock, log }),
    // One step with a record of its own, which shows after a crash that the work may have been done.
    once: (_, facts, work) =>
      stepOf(replay, { kind: 'step', name: facts.key, args: String(work) }, (intent) =>
        workIn(replay, intent, () => outsideRun(() => runOnce(base, { ...facts, forMs: ONCE_MS }, work))),
      ) as Promise<Awaited<ReturnType<typeof work>>>,
    runCommand: toolsOf(base, replay),
    run: {
      bot: base,
      record: <T>(name: string, use: () => T | Promise<T>) =>
        stepOf(replay, { kind: 'shared', name, args: undefined }, () => outsideRun(use)) as Promise<T>,
    },
    questions: scope.createQuestions({
      ...{ clock, store, log, waiting, talk },
      ...{ park: () => {}, expects: scope.expects, dropped: replay.stopped },
    }),
    get api() {
      return (api ??= createClient(call))
    },
  })
}

type Received = { delivery: Delivery } | 'late' | 'replaced'

/** Adds the members of durable handlers to a context, and replaces those that would act again in a replay. */
export function addDurableMembers(ctx: Context, scope: RunScope): void {
  const { digest, replay, awaits, base, round } = scope
  // Each part that `ctx.continueAs` begins does its own work and sends its own broadcasts.
  if (round > 0) Object.defineProperty(ctx, runKey, { value: `${runKeyOf(ctx)}#${round}` })
  const uuid = () => {
    const hex = digest()
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
  const step: DurableMembers['step'] = <T>(name: string, work: () => unknown) => {
    const waits = base.layer.waits?.(ctx.file)
    const kept = async () => {
      const ended = waits?.({ for: 'step', name })
      try {
        const result = await work()
        if (result !== undefined) checkPlain(result, `${ctx.file}: ctx.step("${name}")`, 'return plain data')
        return result
      } finally {
        ended?.()
      }
    }
    // Two steps of the same name differ in their code.
    const step = { kind: 'step', name, args: String(work) }
    return stepOf(replay, step, (intent) => workIn(replay, intent, () => outsideRun(kept))) as Promise<T>
  }
  const members: Omit<DurableMembers, 'approve'> = {
    step,
    async sleep(duration) {
      const ms = durationMs(duration, `${ctx.file}: sleep`)
      if (workOf(replay)) return sleep(base.clock, ms)
      const data: WaitData = { sinceMs: 0, dueMs: replay.nowMs + ms }
      const ended = base.layer.waits?.(ctx.file)({ for: 'sleep', mostMs: ms })
      try {
        const slept = waitOf(replay, { kind: 'sleep', name: '', data, args: ms }, (intent) => awaits(intent))
        await pauseTimeLimit(ctx, slept)
      } finally {
        ended?.()
      }
    },
    get version() {
      return replay.version
    },
    async continueAs(input?: Readonly<Record<string, unknown>>) {
      // A cancelled run has no further part: this call waits, and so ends with the cancellation.
      if (replay.endsHere || workOf(replay))
        await waitOf(replay, { kind: 'continue', name: '', args: undefined }, () => {})
      scope.continues(input)
      // Nothing of this part continues.
      return new Promise<never>(() => {})
    },
    now: () => replay.nowMs,
    random: () => parseInt(digest().slice(0, 13), 16) / 2 ** 52,
    uuid,
  }
  Object.assign(ctx, members, {
    // Its edits depend on how fast the source is, so that a replay would issue others.
    stream: () =>
      Promise.reject(
        new BotwrightError(
          'ERR_INVALID_REQUEST',
          `${ctx.file}: ctx.stream does not work in a durable handler: read the whole text in ctx.step, and reply with it`,
        ),
      ),
  })
}

/** The time changes only with a result, so that a replay sees the same times. */
function runClock({ base, replay }: RunScope): BotServices['clock'] {
  return {
    now: () => replay.nowMs,
    monotonic: () => replay.nowMs,
    after: (ms, fire, options) => base.clock.after(ms, fire, options),
  }
}

/** A store whose reads and writes are steps of a run. */
export function durableStore(base: StateStore, replay: Replay): StateStore {
  const step = <T>(name: string, args: unknown, run: (repeats: boolean) => Promise<T>) =>
    stepOf(replay, { kind: 'state', name, args }, (_, repeats) => run(repeats)) as Promise<T>
  return {
    get: (key) => step(`get ${key}`, undefined, () => base.get(key)),
    // The first attempt may have written the value: then the version is another one, but the value is this one.
    set: (key, value, options) =>
      step(`set ${key}`, [value, options], async (repeats) => {
        const found = repeats ? await base.get(key) : undefined
        return (found && JSON.stringify(found.value) === JSON.stringify(value)) || base.set(key, value, options)
      }),
    delete: (key, options) =>
      step(
        `delete ${key}`,
        options,
        async (repeats) => (repeats && !(await base.get(key))) || base.delete(key, options),
      ),
    list: (prefix, options) => step(`list ${prefix}`, options, () => base.list(prefix, options)),
  }
}

function durableOutbox(base: Outbox, replay: Replay): Outbox {
  const step = <T>(name: string, args: unknown, run: () => Promise<T>) =>
    stepOf(replay, { kind: 'broadcast', name, args }, () => run()) as Promise<T>
  // A context numbers all of its broadcasts. Those in the work of a step must not shift the later ones.
  const ids = new Map<string, string>()
  const counts = new Map<string, number>()
  const numbered = (id: string) => {
    const key = id.slice(0, id.lastIndexOf(':'))
    const work = workOf(replay)
    const count = work ? `${work.intent.step}.${++work.broadcasts}` : (counts.get(key) ?? 0) + 1
    if (typeof count === 'number') counts.set(key, count)
    return `${key}:${count}`
  }
  const own = (id: string) => ids.get(id) ?? id
  return {
    broadcasts: {
      start(given, { isNamed, ...input }) {
        const id = isNamed ? given : numbered(given)
        ids.set(given, id)
        return step(`start ${id}`, input, () => base.broadcasts.start(id, { ...input, ...(isNamed && { isNamed }) }))
      },
      next: (id, done, known) => step(`next ${own(id)}`, done, () => base.broadcasts.next(own(id), done, known)),
      cancel: (id) => step(`cancel ${own(id)}`, undefined, () => base.broadcasts.cancel(own(id))),
    },
    budget: () => step('budget', undefined, () => base.budget()),
  }
}

/** Lines that were logged before a restart are not logged again. */
function quietLog(log: Log, replay: Replay): Log {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => (facts: object, message: string) => {
    if (!replay.replaying) log[level](facts, message)
  }
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}
