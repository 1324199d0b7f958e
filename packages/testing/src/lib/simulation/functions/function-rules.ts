import { laneKey } from '@botwright/events/webhooks'
import { limits } from '@botwright/protocol/facts'
import { errorsHaveReasons, runs } from '../rules.ts'
import { SECRET, TOKEN } from '../simulate.ts'
import type { FunctionFacts, FunctionRule } from './function-facts.ts'
import type { FunctionLine, FunctionRecord, PostedEvent, SimInvocation } from './function-record.ts'

/** When the bot acknowledges a click by itself, after its arrival, with the time of the response. */
const ACK_MS = 2200
const ANSWER_MS = limits.interaction.answer_seconds * 1000
/** The claim of an invocation that was killed has expired by then, also by a clock that is behind. */
const CLAIM_MS = 105_000
/** For how long one scheduled run begins handlers. */
const BEGIN_MS = 45_000
/** Before this time, the response to an event webhook is never late. */
const SOON_MS = 100

/** By then, a scheduled run has stored and logged that the ids have started again. */
const NOTICE_MS = 1000
/** Incidents that do not disturb scheduled runs. */
const harmless = ['webhook', 'scheduled', 'unscheduled', 'renumber', 'down'] as const
const isNotice = (msg: string): boolean => msg.includes('have started again')

/** The rules of functions, for any bot whose middleware logs `begins` and `ends`. */
export const functionRules: readonly FunctionRule[] = [
  {
    name: 'no event is lost',
    why: 'a webhook that is lost, or whose invocation ends, is found by a scheduled run',
    *check(facts) {
      const { record } = facts
      const done = new Set(record.lines.flatMap((line) => endsOf(line, record)))
      for (const event of record.events)
        if (runs(event) && !done.has(itemOf(event)) && !isExcused(event, facts))
          yield `event ${event.id} (${event.type}) of ${at(event)} has not run to its end`
    },
  },
  {
    name: 'an event runs within one scheduled interval',
    why: 'a scheduled run without faults does all that is left, unless another invocation has it',
    *check(facts) {
      const { record } = facts
      const begun = new Map<unknown, number>()
      for (const { atMs, facts: of } of record.runs('begins')) if (!begun.has(of['item'])) begun.set(of['item'], atMs)
      const clean = record.invocations.filter((one) => isClean(one, facts))
      for (const event of record.events) {
        const next = clean.find(({ startedAtMs }) => startedAtMs > event.atMs)
        if (!next || !runs(event) || isExcused(event, facts)) continue
        const beganMs = begun.get(itemOf(event)) ?? Infinity
        if (beganMs > next.endedAtMs!)
          yield `event ${event.id} (${event.type}) of ${at(event)} did not begin until the scheduled run of ${Math.round(next.startedAtMs)} ms had ended`
      }
    },
  },
  {
    name: 'an event runs twice only if it is marked',
    why: 'a handler that must not repeat its effects has no other way to know',
    *check({ record }) {
      const begun = new Map<string, FunctionLine>()
      for (const line of record.runs('begins')) {
        const key = keyOf(line)
        const former = begun.get(key)
        if (former && line.facts['again'] !== true)
          yield `${key} began at ${at(former)}, and again without a mark at ${at(line)}`
        begun.set(key, line)
      }
    },
  },
  {
    name: 'an event that has ended does not run again',
    why: 'its effects would come twice',
    *check({ record }) {
      // Its end may not be stored.
      if (record.happened('store')) return
      const ended = new Map<string, FunctionLine>()
      for (const line of record.lines) {
        const key = keyOf(line)
        const former = ended.get(key)
        if (line.msg === 'ends' && line.invocation?.how === 'ended') ended.set(key, line)
        else if (line.msg === 'begins' && former) yield `${key} ended at ${at(former)}, and began again at ${at(line)}`
      }
    },
  },
  {
    name: 'two invocations do not run an event at the same time',
    why: 'a claim lasts longer than any handler',
    *check({ record }) {
      // A store may take longer for a claim than its invocation had planned.
      if (record.happened('store')) return
      const running = new Map<string, FunctionLine>()
      for (const line of record.lines) {
        const key = keyOf(line)
        const former = running.get(key)
        if (line.msg === 'ends' && former?.invocation === line.invocation) running.delete(key)
        if (line.msg !== 'begins') continue
        if (former?.invocation && (former.invocation.endedAtMs ?? Infinity) > line.atMs)
          yield `${key} began at ${at(former)}, and in another invocation at ${at(line)}`
        running.set(key, line)
      }
    },
  },
  {
    name: 'a scheduled run keeps the order of a channel',
    why: 'the documentation promises it for missed events',
    *check(facts) {
      const { record } = facts
      const order = new Map(record.events.map((one, i) => [itemOf(one), i]))
      const lanes = new Map<string, PostedEvent[]>()
      for (const event of record.events.filter(runs))
        lanes.set(laneOf(event), [...(lanes.get(laneOf(event)) ?? []), event])
      /** The items that have ended so far. */
      const over = new Set<unknown>()
      for (const line of record.lines) {
        for (const item of endsOf(line, record)) over.add(item)
        const i = order.get(line.facts['item'] as string)
        if (line.msg !== 'begins' || line.invocation?.kind !== 'scheduled' || i === undefined) continue
        for (const former of lanes.get(laneOf(record.events[i]!)) ?? [])
          if (order.get(itemOf(former))! < i && !over.has(itemOf(former)) && !isExcused(former, facts))
            yield `event ${String(line.facts['event'])} began at ${at(line)}, before event ${former.id} of its channel had ended`
      }
    },
  },
  {
    name: 'a scheduled run notices that the ids have started again',
    why: 'it would ask for events after a position that the new ids have not reached',
    *check({ record }) {
      const notices = record.lines.filter(({ msg }) => isNotice(msg))
      for (const { path, status, text = '', receivedAtMs } of record.requests) {
        const after = Number(/\/events\?after=(\d+)/.exec(path)?.[1] ?? 0)
        if (status !== 200 || after === 0 || receivedAtMs === undefined) continue
        const { last } = JSON.parse(text) as { last: number }
        if (last >= after || !record.isCalm(receivedAtMs, receivedAtMs + NOTICE_MS, harmless)) continue
        if (!notices.some(({ atMs }) => atMs >= receivedAtMs && atMs <= receivedAtMs + NOTICE_MS))
          yield `the newest event was ${last} at ${Math.round(receivedAtMs)} ms, but the position ${after}`
      }
    },
  },
  {
    name: 'a new start of the ids is noticed once',
    why: 'a position that is not one of the new ids lets the next scheduled run skip events',
    *check({ record }) {
      if (record.happened('store')) return
      const { resets } = record
      const notices = record.lines.filter(({ msg }) => isNotice(msg))
      for (const [i, { atMs, invocation }] of notices.entries())
        for (const former of notices.slice(0, i))
          // Two scheduled runs at the same time may both notice it.
          if (
            former.atMs < invocation!.startedAtMs &&
            !resets.some((one) => one >= former.invocation!.startedAtMs && one < atMs)
          )
            yield `it was noticed at ${at(former)}, and again at ${at({ atMs })}`
    },
  },
  {
    name: 'a click is answered or acknowledged in time',
    why: 'the person who clicks sees an error after 3 s, and a handler may take longer',
    *check({ people, record }) {
      for (const event of record.events) {
        const { id, data, arrivals, atMs } = event
        const click = people.clicks.get(String(data['id']))
        const [first] = arrivals
        if (!click || !first || !record.isCalm(first.atMs - SOON_MS, first.atMs + ACK_MS)) continue
        // The service posts one event after the other, so this one may have waited.
        if (first.atMs + ACK_MS > click.atMs + ANSWER_MS || isOfReset(event, record)) continue
        if ((click.answeredAtMs ?? Infinity) > first.atMs + ACK_MS)
          yield `click ${id} of ${at({ atMs })} arrived at ${at(first)} and was not answered by ${Math.round(first.atMs + ACK_MS)} ms`
      }
    },
  },
  {
    name: 'no event webhook is refused without a reason',
    why: 'the service sends it once',
    *check({ record }) {
      for (const { id, arrivals } of record.events)
        for (const { atMs, status = 200 } of arrivals) {
          const isWrong =
            status === 503 || status === 500 ? record.isCalm(atMs - ANSWER_MS, atMs + ANSWER_MS) : status !== 200
          if (isWrong) yield `event ${id} was answered with ${status} at ${at({ atMs })}`
        }
      // An instance that cannot start answers with 503.
      for (const { status, atMs } of record.forged)
        if (status !== 401 && (status !== 503 || record.isCalm(atMs - ANSWER_MS, atMs, ['webhook'])))
          yield `a forged event was answered with ${status} at ${at({ atMs })}`
    },
  },
  {
    name: 'no request to a route is refused without a reason, or lost',
    why: 'its sender may not repeat it',
    *check({ record }) {
      const ended = new Set(record.runs('ends').map(({ facts }) => facts['item']))
      // It waits up to an hour before it is tried again, and is set aside in the end.
      const mayWait = record.lines.some(
        ({ msg }) => msg.startsWith('routes/') && / failed and runs again| is set aside/.test(msg),
      )
      for (const { order, atMs, status, answeredAtMs = atMs } of record.routed) {
        if (status === 202 && !mayWait && !ended.has(`order ${order}`))
          yield `order ${order} was accepted at ${at({ atMs })}, and has not run`
        if (status !== undefined && status !== 202 && record.isCalm(atMs - ANSWER_MS, answeredAtMs))
          yield `order ${order} was answered with ${status} at ${at({ atMs })}`
      }
    },
  },
  {
    name: 'the message budget is kept',
    why: 'the service refuses the 31st message of a minute, and counts refusals against the bot',
    *check({ plan, record }) {
      // The slots are those of all instances, by their own clocks.
      if (new Set(plan.skewsMs).size > 1) return
      for (const { method, path, status, retryAfter, sentAtMs } of record.requests)
        if (status === 429 && retryAfter === true && method === 'POST' && path.endsWith('/messages'))
          yield `the message at ${Math.round(sentAtMs)} ms was one too many`
    },
  },
  {
    name: 'nothing is left in the store',
    why: 'a store that keeps something of each event grows without end',
    *check({ botId, record, rows, service }) {
      for (const { key, value, expiresAtMs } of rows) {
        if (expiresAtMs === undefined && !lasting.test(key) && !waiting.test(key))
          yield `${key} never expires: ${JSON.stringify(value)}`
        if (waiting.test(key) && !record.lines.some(({ msg }) => msg.includes(' failed and runs again')))
          yield `${key} is left: ${JSON.stringify(value)}`
        // Nothing returns an event of a former era.
        if (
          key.startsWith('function:event:') &&
          !record.happened('renumber') &&
          (value as { untilMs?: number }).untilMs !== undefined
        )
          yield `${key} is not done: ${JSON.stringify(value)}`
      }
      const newest = Math.max(service.observer.bot(botId).newestEvent, 1)
      const { after } = rows.find(({ key }) => key === 'function:position')!.value as { after: number }
      if (after !== newest) yield `the position is ${after}, but the newest event is ${newest}`
    },
  },
  errorsHaveReasons,
  {
    name: 'secrets stay secret',
    why: 'a token in a log or in a stored row lets its reader act as the bot',
    *check({ record, rows }) {
      const tokens = record.events.flatMap(({ type, data }) => (type === 'interaction' ? [String(data['token'])] : []))
      for (const secret of [TOKEN, SECRET, ...tokens]) {
        for (const { text } of record.lines)
          if (text.includes(secret)) yield `a token is in the log: ${text.slice(0, 200)}`
        for (const row of rows) if (JSON.stringify(row).includes(secret)) yield `a token is in ${row.key}`
      }
    },
  },
]

/** Rows that stay as long as the bot exists. */
const lasting = /^(function:(position|commands|sent)$|task:(last|timer):|state:)/
/** Rows of work. */
const waiting = /^route:row:/

const at = ({ atMs }: { atMs: number }): string => `${Math.round(atMs)} ms`
const itemOf = ({ data }: PostedEvent): string => String(data['id'])
const keyOf = ({ facts }: FunctionLine): string => `${String(facts['item'])} ${String(facts['file'])}`

const laneOf = (event: PostedEvent): string => laneKey({ ...event, created_at: '' })

/** The items that end with a line of the log: their handlers have ended or took too long, or they were set aside. */
function endsOf({ msg, facts }: FunctionLine, { events }: FunctionRecord): unknown[] {
  if (msg === 'ends') return [facts['item']]
  const isLate = facts['code'] === 'ERR_HANDLER_TIMEOUT'
  const id = isLate
    ? Number.parseInt(String(facts['eventId']), 10)
    : msg.includes(' is set aside: ')
      ? facts['event']
      : undefined
  return events.flatMap((one) => (one.id === id ? [itemOf(one)] : []))
}

/** Whether the documentation allows that an event does not run. */
function isExcused(event: PostedEvent, { people, record }: FunctionFacts): boolean {
  // Its person saw it fail, so that a scheduled run skips it.
  if (event.type === 'interaction' && people.clicks.get(itemOf(event))?.answeredAtMs === undefined) return true
  return isOfReset(event, record)
}

/** Whether an event was lost because the ids of events started again. */
function isOfReset(event: PostedEvent, record: FunctionRecord): boolean {
  const { resets } = record
  // The service has deleted it.
  if (resets.some((atMs) => atMs >= event.atMs)) return true
  const resetMs = resets.findLast((atMs) => atMs <= event.atMs)
  if (resetMs === undefined) return false
  // Scheduled runs skip the events of the new ids up to the position at which they continue.
  const notice = record.lines.find(({ msg, atMs }) => atMs >= resetMs && isNotice(msg))
  if (notice) return event.id <= Number(notice.facts['last'])
  return event.id <= Math.max(...record.events.filter(({ atMs }) => atMs < resetMs).map(({ id }) => id))
}

/** Whether an invocation is a scheduled run that nothing has disturbed, and that no other invocation has met. */
function isClean(run: SimInvocation, { record }: FunctionFacts): boolean {
  const { startedAtMs, endedAtMs = Infinity } = run
  if (run.kind !== 'scheduled' || run.how !== 'ended' || endedAtMs > startedAtMs + BEGIN_MS) return false
  if (!record.isCalm(startedAtMs - CLAIM_MS, endedAtMs, ['webhook', 'scheduled', 'unscheduled'])) return false
  return !record.invocations.some(
    (one) => one !== run && one.startedAtMs < endedAtMs && (one.endedAtMs ?? Infinity) > startedAtMs,
  )
}
