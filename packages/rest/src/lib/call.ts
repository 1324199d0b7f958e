// One call of an endpoint, through its checks, the message budget and the retries.

import { setMaxListeners } from 'node:events'
import { elapsedOf, systemClock, type Clock } from '@botwright/clock'
import type { EndpointName, ErrorCode, Input, Output } from '@botwright/protocol/shapes'
import { limits } from '@botwright/protocol/facts'
import { requestPath } from '@botwright/protocol/requests'
import { ClickAnswers } from './click-answers.ts'
import { baseOf } from './connection/base-url.ts'
import { MessageBudget, type SendTimes } from './budget.ts'
import { aborted, cleanCause, type ServiceError } from './errors.ts'
import { readerOf } from './read.ts'
import type { checkInput } from './check-input.ts'
import type { LimitStore, Priority } from './limit-store.ts'
import { orderOf, type Place, placeOf, Places } from './places.ts'
import { proxyFor } from './connection/proxy.ts'
import { invalid, partsOf, plansOf, takesInput, type Plan } from './request.ts'
import { reportCommands, waitingReports } from './reports.ts'
import { behind, held, limitOf, refuse } from './refuse.ts'
import { attempt, clampSeconds, LONGEST_WAIT_MS, timeOf } from './retry.ts'
import { type Answer, type Connect, connectByHttp, type Sending } from './connection/transport.ts'
import { uploadBody } from './upload.ts'

/** The options of a call. `priority` orders waiting messages (default: `reply`). */
export interface CallOptions {
  priority?: Priority
  signal?: AbortSignal
  timeoutMs?: number
  // How long after its begin this call may wait because the service asks for it (429). A longer wait fails at once. Default: as long as the
  // client's options allow. The message budget has no limit.
  longestWaitMs?: number
  // Fails at once if the service asks to wait for this channel, server or message (429). The message budget is waited for.
  refusesHold?: boolean
  // The input is known to be valid, and is sent without checks.
  unchecked?: boolean
  // Called when the message begins to wait for the budget.
  waiting?: () => void
  // Awaited just before each request is sent, after the message budget. If it throws, nothing is sent.
  leaving?: () => void | Promise<void>
  // Awaited when a message was temporarily refused or was not sent, before the wait until the next attempt.
  stayed?: () => void | Promise<void>
}

/** Calls an endpoint by its name with one flat object: path names, query and body together (§4). */
export type Call = <N extends EndpointName>(name: N, input: Input<N>, options?: CallOptions) => Promise<Output<N>>

/** A notice for the bot's owner. Contains no secrets. */
export interface RestReport {
  level: 'info' | 'warn' | 'error'
  code: string
  message: string
  [fact: string]: unknown
}

/** The address, the token and the retries of calls. */
export interface RestOptions {
  // Ends in the version segment, `…/v1` (§9).
  baseUrl: string
  token: string
  clock?: Clock
  // For the complete response, including its body. Default: 15,000.
  timeoutMs?: number
  // How long one call may wait because the service asks for it (429). A longer wait fails at once. Default: 300,000.
  longestWaitMs?: number
  // Default: 64.
  connections?: number
  // A `Connect`, whose type the compiler of a bot need not read. Default: HTTP.
  connect?: unknown
  // Default: 30 per 60 s (§8). `false` if another component enforces it.
  messageBudget?: { requests: number; seconds: number } | false
  sendTimes?: SendTimes
  // Replaces the message budget of this process.
  limitStore?: LimitStore
  onReport?: (report: RestReport) => void
  // Called with 1 when a request is sent, and with -1 when it got its response or was aborted.
  onTraffic?: (endpoint: string, change: 1 | -1) => void
  // Called when an answer begins to wait for the clock: what it waits for, in English. The result is called when it has waited.
  onDelay?: (what: string) => () => void
  random?: () => number
  // Default: 32 MiB.
  maxAnswerBytes?: number
}

/** Counts since the start. */
export interface RestStats {
  requests: number
  retries: number
  rateLimited: number
  // Messages that the service has accepted.
  sent: number
  // Messages waiting for the budget, and taken slots.
  waiting: number
  used: number
  // The total number of slots; `Infinity` without a budget.
  limit: number
  // The time until a slot is free; 0 if one is free.
  freeInMs: number
}

/** Calls the endpoints of the table, and counts. */
export type CallHandle = Call & {
  answers: ClickAnswers
  stats(): RestStats
  // Loads the schemas that check inputs, so that the first call does not wait for them.
  warm(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const isChecked = (plan: Plan, { unchecked }: CallOptions): boolean => unchecked !== true && takesInput(plan)

/** Whether a request that failed with this code may have taken effect. Any other failure is a refusal. */
const mayHaveEffect = (code: ErrorCode): boolean => code === 'ERR_UNKNOWN_OUTCOME' || code === 'ERR_ABORTED'

interface Ready {
  plan: Plan
  read: (answer: Answer) => unknown
  // See `Place.order`.
  order: string | undefined
}

/** One checked call, ready to be sent. */
interface Request {
  sending: Sending
  secrets: readonly string[]
  // The id of the interaction that it answers, if any.
  click: string | undefined
}

/**
 * Calls the service: builds and checks the request, waits for the message budget, sends it, retries if that is safe, and reads the response.
 * Rejects with a `BotwrightError` of code `ERR_INVALID_REQUEST` (nothing was sent) or with a `ServiceError`.
 */
export function createCall(options: RestOptions): CallHandle {
  const { token, clock = systemClock, timeoutMs = 15_000, random = Math.random, onReport, onTraffic, onDelay } = options
  const { longestWaitMs = LONGEST_WAIT_MS, maxAnswerBytes: maxBytes = 32 * 1024 * 1024 } = options
  const connect = (options.connect ?? connectByHttp) as Connect
  // The message budget and the time for a click follow the clock; connections do not.
  const elapsed = elapsedOf(clock)
  const base = baseOf(options.baseUrl)
  if (token === '' || /[^\x21-\x7e]/.test(token))
    throw invalid('rest', 'the token is empty or not plain text; set BOT_TOKEN')
  const way = { clock: elapsed, maxBytes, proxy: proxyFor(base.origin) }
  const transport = connect(base.origin, { ...way, connections: options.connections ?? 64 })
  // A poll occupies its connection for 25 s, so it has its own.
  const feed = connect(base.origin, { ...way, connections: 4 })
  const answers = new ClickAnswers(clock)
  // Most calls never wait for another one: the first that has to creates it.
  let places: Places | undefined
  const budget: LimitStore | undefined =
    options.messageBudget === false
      ? undefined
      : (options.limitStore ??
        new MessageBudget({
          clock,
          timeoutMs,
          ...(options.messageBudget ?? limits.messages),
          sendTimes: options.sendTimes,
          onSaveFailed: () =>
            onReport?.({
              level: 'error',
              code: 'send-times',
              message: 'the send times could not be saved; after a restart the service may respond 429',
            }),
        }))
  const ready = new Map(
    [...plansOf(base.path)].map(([name, plan]): [string, Ready] => [
      name,
      { plan, read: readerOf(plan.route), order: orderOf(plan) },
    ]),
  )
  const authorization = ['authorization', `Bot ${token}`, 'accept', 'application/json']
  const withJson = [...authorization, 'content-type', 'application/json']
  const withoutToken = ['accept', 'application/json', 'content-type', 'application/json']
  const closing = new AbortController()
  // Any number of calls may wait.
  setMaxListeners(0, closing.signal)
  const counts = { requests: 0, retries: 0, rateLimited: 0, sent: 0 }
  let check: typeof checkInput | undefined
  const reportWaiting = waitingReports(clock, onReport)

  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    closing.abort()
    budget?.close()
    await Promise.all([feed.destroy(), transport.close()])
  }

  async function warm(): Promise<void> {
    check ??= (await import('./check-input.ts')).checkInput
  }

  function requestOf(name: string, plan: Plan, input: Record<string, unknown>, callOptions: CallOptions): Request {
    const parts = partsOf(plan, input)
    if (isChecked(plan, callOptions)) check!(name, parts)
    const bare = plan.route.auth === 'path_token'
    const body = parts.body === undefined ? null : JSON.stringify(parts.body)
    const headers = bare ? withoutToken : body === null ? authorization : withJson
    const { signal, timeoutMs: limit = timeoutMs } = callOptions
    return {
      sending: { method: plan.route.method, path: requestPath(plan, parts), headers, body, timeoutMs: limit, signal },
      secrets: bare ? [token, input['token'] as string] : [token],
      click: bare ? (input['interaction_id'] as string) : undefined,
    }
  }

  async function run(name: string, input: Record<string, unknown>, callOptions: CallOptions): Promise<unknown> {
    const one = ready.get(name)
    if (one === undefined) throw invalid(name, 'is not an endpoint of the bot interface')
    const { plan, read, order } = one
    const { upload, repeatable } = plan.route
    // Await only if necessary: messages enter the budget's queue in the order of their calls.
    if (check === undefined && isChecked(plan, callOptions)) await warm()
    const { sending, secrets, click } = requestOf(name, plan, input, callOptions)
    if (upload !== undefined) {
      const { body, contentType } = await uploadBody(name, upload, input)
      Object.assign(sending, { body, headers: [...authorization, 'content-type', contentType] })
    }
    if (name === 'commands.replace') reportCommands(input, onReport)
    const { leaving, stayed, signal } = callOptions
    const beganMs = callOptions.longestWaitMs === undefined ? 0 : elapsed.monotonic()
    const longestHoldMs = callOptions.refusesHold === true ? 0 : longestWaitMs
    /** How long this call may still wait because the service asks for it. */
    const leftToWaitMs = (): number =>
      callOptions.longestWaitMs === undefined
        ? Infinity
        : Math.max(0, callOptions.longestWaitMs - (elapsed.monotonic() - beganMs))
    const budgeted = name === 'messages.create' ? budget : undefined
    const isFeed = name === 'events.list'
    const via = isFeed ? feed : transport
    // The feed waits by itself, and an ack must not wait behind the answer that it stands for.
    const waits = !isFeed && !(click !== undefined && input['type'] === 'ack')
    // Costs a message nothing while no call waits.
    let place = waits && (places || order !== undefined) ? placeOf(plan, input) : undefined
    // Whether a request may have reached the service, which does not count those that it refuses with 429.
    let left = false
    let hasSlot = false
    let sentWithSlot = false
    const takeSlot = (): Promise<void> | void => {
      const turn = budgeted!.take(callOptions.priority ?? 'reply', signal)
      if (turn === undefined) return void (hasSlot = true)
      // A shared budget is asked every time; that does not count as waiting.
      if (budgeted!.waiting > 0) {
        reportWaiting(budgeted!.waitMs)
        callOptions.waiting?.()
        waitsFor('a slot, because the message budget is used up')
      }
      return turn.finally(waited).then(() => void (hasSlot = true))
    }
    // Broadcasts and other messages in the background wait without a handler.
    const delay = (callOptions.priority ?? 'reply') === 'reply' ? onDelay : undefined
    let endDelay: (() => void) | undefined
    const waitsFor = (what: string): void => void (endDelay = delay?.(what))
    const waited = (): void => {
      endDelay?.()
      endDelay = undefined
    }
    let end: (() => void) | undefined
    const blockOthers = (here: Place): void => {
      places ??= new Places(elapsed)
      if (!end) places.block(here, new Promise((resolve) => (end = resolve)))
    }
    const giveSlotBack = (counts: boolean): void => {
      budgeted!.release(counts)
      hasSlot = sentWithSlot = false
    }
    const send = (): Promise<Answer> => {
      counts.requests++
      if (sentWithSlot) budgeted?.again()
      sentWithSlot = hasSlot
      onTraffic?.(name, 1)
      if (click !== undefined) answers.leaves(click)
      return via.send(sending).then(
        (answer) => {
          onTraffic?.(name, -1)
          if (click !== undefined) answers.arrived(click, answer.status < 300)
          if (answer.status === 429) counts.rateLimited++
          else left = true
          if (name === 'messages.create' && answer.status < 300) counts.sent++
          return answer
        },
        (failure: { left?: boolean }) => {
          onTraffic?.(name, -1)
          if (click !== undefined) answers.arrived(click, false)
          if (failure.left === true) left = true
          throw failure
        },
      )
    }
    const sendAfter = async (before: NonNullable<CallOptions['leaving']>): Promise<Answer> => {
      await before()
      return send()
    }
    const retryAfter = (answer: Answer): number | undefined => {
      const seconds = clampSeconds(answer.headers['retry-after'], timeOf(answer, clock))
      if (seconds === undefined || !waits) return seconds
      place ??= placeOf(plan, input)
      blockOthers(place)
      places!.hold(place, seconds * 1000)
      return seconds
    }
    const onWait = (ms: number, reason: 'rate' | 'fault', status: number): void | Promise<void> => {
      counts.retries++
      waitsFor(`the next attempt of ${name} after ${status === 0 ? 'no answer' : `the answer ${status}`}`)
      if (reason !== 'rate') return stayed?.()
      // Messages to other channels are sent meanwhile.
      if (hasSlot) giveSlotBack(false)
      onReport?.({
        level: 'warn',
        code: 'rate-limited',
        message: `${name}: the service asked to wait ${ms / 1000} s (${limitOf(plan)}); only calls under this limit wait`,
        endpoint: name,
        status,
        waitMs: ms,
      })
      return stayed?.()
    }

    if (click !== undefined) answers.take(click)
    try {
      const before = place && places?.before(place)
      if (place && (before || order !== undefined)) blockOthers(place)
      let waitedMs = 0
      if (place && places && (before || places.leftMs(place) > 0)) {
        const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
        waitsFor(`${name} to be allowed again: the service asked to wait`)
        const longestMs = Math.min(longestHoldMs, leftToWaitMs())
        const wait = places.wait(place, { before, longestMs, stop }).finally(waited)
        const {
          leftMs,
          waitedMs: ms,
          isBehind,
        } = await wait.catch((reason: unknown) => {
          throw aborted(name, cleanCause(reason, secrets))
        })
        if (leftMs > 0) throw held(plan, Math.ceil(leftMs / 1000))
        if (isBehind) throw behind(plan, Math.round(ms / 1000))
        waitedMs = ms
      }
      try {
        return await attempt(
          {
            endpoint: name,
            repeatable,
            retry: !isFeed,
            secrets,
            signal,
            closing: closing.signal,
            totalMs: 2 * sending.timeoutMs,
            longestWaitMs: longestHoldMs - waitedMs,
            leftToWaitMs,
            ready: () => (budgeted && !hasSlot ? takeSlot() : undefined),
            send: () => (leaving ? sendAfter(leaving) : send()),
            read,
            refuse: (answer, seconds) => refuse(plan, input, answer, { secrets, seconds }),
            retryAfter,
            onWait,
            onWaited: waited,
          },
          elapsed,
          random,
        )
      } finally {
        if (hasSlot) giveSlotBack(left)
      }
    } catch (error) {
      // A request that was not sent, or was refused, used none of the click's 10 answers (§3).
      if (click !== undefined && !(left && mayHaveEffect((error as ServiceError).code))) answers.giveBack(click)
      throw error
    } finally {
      end?.()
    }
  }

  const call = ((name: string, input: Record<string, unknown>, callOptions: CallOptions = {}) =>
    run(name, input, callOptions)) as unknown as Call
  return Object.assign(call, {
    answers,
    warm,
    stats: (): RestStats => ({
      ...counts,
      waiting: budget?.waiting ?? 0,
      used: budget?.used ?? 0,
      limit: budget?.limit ?? Infinity,
      freeInMs: budget && budget.used >= budget.limit ? budget.waitMs : 0,
    }),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  })
}
