import { limits } from '@botwright/protocol/facts'
import { type BotEvent, eventKey } from '@botwright/events'
import type { RunningBot } from '@botwright/framework/start'
import type { SimClick, SimMessage } from './people.ts'
import type { SimLine } from './record.ts'
import type { SimDisk } from './sim-disk.ts'
import type { SimFacts } from './facts.ts'
import { FORGED_FROM } from './sim-webhook.ts'

/** A fact that is always true, whatever happens. Checked when a run has ended. */
export interface Rule<Facts = SimFacts> {
  name: string
  /** Why it must hold. */
  why: string
  /** Returns what breaks it. */
  check: (facts: Facts) => Iterable<string>
}

const ANSWER_MS = limits.interaction.answer_seconds * 1000
/** When the bot acknowledges a click by itself. */
const ACK_MS = 1900
/** By then, a process has looked at a response. */
const LOOK_MS = 1000
/** How long a copy of an event webhook waits for the events before it. */
const COPY_MS = 500
/** Two requests that cross on their way. */
const WAY_MS = 100
/** More timers than a bot without work has: its poll, its tasks, its wake-ups, and what repeats. */
const MOST_TIMERS = 16

/** Errors of JavaScript itself come from a fault of the code. */
const faulty = /"type":"(TypeError|ReferenceError|RangeError)"|is not a function|Cannot read properties/

export const errorsHaveReasons: Rule<{ record: { lines: readonly { atMs: number; text: string }[] } }> = {
  name: 'errors have a reason',
  why: 'an error without one cannot be fixed by the author of a bot',
  *check({ record }) {
    for (const { text, atMs } of record.lines)
      if (faulty.test(text)) yield `logged at ${Math.round(atMs)} ms: ${text.slice(0, 600)}`
  },
}

/** The rules of the runtime, for any bot. */
export const rules: readonly Rule[] = [
  {
    name: 'no event is lost',
    why: 'the feed returns each event until its position has passed it, and a process that dies runs its unfinished events again',
    *check({ record, durable, waits, running, people, botId, world }) {
      const set = new Set(record.lines.flatMap(({ code, facts }) => (isSetAside.has(code ?? '') ? [facts['id']] : [])))
      let skipped = record.skipped + running!.stats().skipped
      for (const { event, heard, outcomes } of record.events.values()) {
        // A handler that waits may receive any other message, and the click on a choice.
        if (outcomes.length > 0 || set.has(event.id) || !runs(event)) continue
        // Polls no longer return it after its process has died.
        const [first] = heard
        if (record.happened('renumber', first!.atMs)) continue
        // The journal could not store that the ids have started again: the next process skips later events.
        const isReset = record.lines.some(({ code, atMs }) => code === 'feed_reset' && atMs > first!.atMs)
        if (isReset && record.isUnwritable('journal.db', first!.atMs, record.endOf(first!.process))) continue
        // Its person had seen it fail.
        const clickedMs = Date.parse(event.created_at) - world.startMs
        // One that it has acknowledged is not missed, unless the journal could not store that it was there, at a time of the host.
        const isKnown =
          !record.happened('clock') &&
          isAnswered(people.clicks.get(String(event.data['id']))) &&
          !record.isUnwritable('journal.db', first!.atMs, record.endOf(first!.process))
        const isMissed =
          event.type === 'interaction' && !isKnown && !record.isCalm(clickedMs - WAY_MS, clickedMs + ANSWER_MS)
        // A process that ended before it was ready has not reported what it skipped.
        if (isMissed && (heard.some(({ process }) => !record.wasReadyAtAll(process)) || skipped-- > 0)) continue
        const file = `commands/${String(event.data['command'])}.ts`
        if (record.lines.some(({ code, atMs }) => code === 'events_may_have_expired' && atMs > first!.atMs)) continue
        // By a clock that was set back meanwhile, the bot was away for less than a day.
        if (record.happened('clock') && !record.wasReady(first!.atMs, first!.atMs + DAY_MS)) continue
        // Its person is notified when a question is lost with its process.
        if (waits.has(file) && heard.some(({ process }) => record.isOver(process))) {
          const isNotified = people.textsOf(botId).some(isLostNotice(event.data, first!.atMs))
          // At most once: the notice is lost if its process dies meanwhile.
          const isLost = forgives.some((kind) => record.happened(kind)) || record.endedEarly(first!.atMs)
          if (isNotified || isLost) continue
        }
        if (durable.has(file) && record.happened('clock')) continue
        yield `event ${event.id} (${event.type}) was received at ${Math.round(first!.atMs)} ms and has no outcome`
      }
    },
  },
  {
    name: 'no forged event runs',
    why: 'anyone can send one to the address of the event webhook',
    *check({ record }) {
      for (const { event } of record.events.values())
        if (event.id > FORGED_FROM) yield `event ${event.id} (${event.type})`
    },
  },
  {
    name: 'events that the bot has received are handled',
    why: 'the feed does not return them again once its position has passed them',
    *check({ record }) {
      const seen = new Set([...record.events.values()].map(({ event }) => `${event.id} ${JSON.stringify(event.data)}`))
      for (const { path, status, text = '', process, receivedAtMs } of record.requests) {
        if (!path.startsWith('/v1/events') || status !== 200 || receivedAtMs === undefined) continue
        // It may have ended before it looked at them.
        if (record.endOf(process) < receivedAtMs + LOOK_MS) continue
        if (record.hasHiddenReset(receivedAtMs)) continue
        for (const { id, data } of (JSON.parse(text) as { events: BotEvent[] }).events)
          if (!seen.has(`${id} ${JSON.stringify(data)}`)) yield `event ${id} arrived at ${Math.round(receivedAtMs)} ms`
      }
    },
  },
  {
    name: 'a message of unknown outcome is not sent again',
    why: 'it may have arrived',
    *check({ record }) {
      const accepted = new Set<string>()
      for (const { method, path, body, status = 0, process, sentAtMs, receivedAtMs } of record.requests) {
        if (method !== 'POST' || !path.endsWith('/messages')) continue
        const key = `${process} ${path} ${body}`
        if (accepted.has(key)) yield `at ${Math.round(sentAtMs)} ms: ${body.slice(0, 200)}`
        if (status < 300 && receivedAtMs === undefined) accepted.add(key)
      }
    },
  },
  {
    name: 'a broadcast reports what it knows',
    why: 'its author sends it again to the channels that it has not reached',
    *check({ disk, process, record }) {
      if (record.happened('disk')) return
      for (const { key, value } of valuesOf(disk, process!.now())) {
        if (!key.startsWith('broadcast:')) continue
        const { message, failed } = JSON.parse(value) as {
          message: object
          failed: { channel_id: string; reason: string }[]
        }
        for (const { channel_id, reason } of failed)
          for (const { path, body, process, receivedAtMs = Infinity } of record.requests)
            if (reason.includes('may have arrived') && path.includes(channel_id) && body === JSON.stringify(message))
              if (receivedAtMs + LOOK_MS < record.endOf(process))
                yield `${key} reports that ${channel_id} may not have it, but the response came at ${Math.round(receivedAtMs)} ms`
      }
    },
  },
  {
    name: 'an event that has ended does not run again',
    why: 'its effects would come twice',
    *check({ record, durable }) {
      if (record.happened('disk')) return
      for (const { msg, facts, atMs, process } of record.lines) {
        if (msg !== 'begins' || durable.has(String(facts['file']))) continue
        const { era, event } = facts as { era: number; event: number }
        const key = eventKey({ id: event, era })
        for (const end of record.events.get(key)?.outcomes ?? []) {
          // A process stores nothing while its host is suspended.
          if (record.happened('suspend', end.atMs, end.atMs + LOOK_MS) || record.mayBeUndone(end)) continue
          if (end.process < process && end.atMs + LOOK_MS < record.endOf(end.process))
            yield `event ${key} ended at ${Math.round(end.atMs)} ms, and began again at ${Math.round(atMs)} ms`
        }
      }
    },
  },
  {
    name: 'all events are read',
    why: 'a bot that runs and can reach the service reads its feed to the end',
    *check({ running, service, botId }) {
      const { newestEvent } = service.observer.bot(botId)
      const { cursor } = running!.stats()
      // A poll after 0 would begin with new events.
      if (cursor !== Math.max(newestEvent, 1)) yield `the position is ${cursor}, but the newest event is ${newestEvent}`
    },
  },
  {
    name: 'an event runs twice only if it is marked',
    why: 'a handler that must not repeat its effects has no other way to know',
    *check({ record, durable }) {
      const begun = new Map<string, SimLine>()
      for (const line of record.lines) {
        const { msg, facts, atMs } = line
        // A durable handler begins again each time that it continues.
        if (msg !== 'begins' || durable.has(String(facts['file']))) continue
        // A command may call another one for a model.
        const key = `${String(facts['era'])} ${String(facts['event'])} ${String(facts['file'])}`
        const former = begun.get(key)
        if (former && facts['again'] !== true && !record.mayBeUndone(former))
          yield `event ${key} began at ${Math.round(former.atMs)} ms, and again without a mark at ${Math.round(atMs)} ms`
        begun.set(key, line)
      }
    },
  },
  {
    name: 'the messages of one person in a channel run in order',
    why: 'a later message may depend on the state that an earlier one has changed',
    *check({ record, durable, plan }) {
      // Without long polls, an event whose copy is lost comes a minute later.
      if (plan.delivery === 'webhook' && record.incidents.length > 0) return
      type Begun = { id: number; era: number; atMs: number; process: number }
      const last = new Map<string, Begun>()
      // A copy waits half a second for the polls, which may be broken.
      const isLate = (event: Begun, { atMs, process }: Begun): boolean =>
        plan.delivery === 'both' &&
        !record.events.get(eventKey(event))!.heard.some((one) => one.process === process && one.atMs <= atMs) &&
        !record.wasPolled(atMs - COPY_MS, atMs)
      const begun = new Set<string>()
      const late = new Set<string | undefined>()
      for (const { msg, facts, atMs, process } of record.lines) {
        late.add(/\(event (\d+)\); its channel continues without/.exec(msg)?.[1])
        if (msg !== 'begins' || facts['again'] === true || record.hasHiddenReset(atMs)) continue
        if (facts['kind'] !== 'command' && facts['file'] !== 'events/message.ts') continue
        // Its channel did not wait longer than the time limit of handlers.
        if (late.has(String(facts['event']))) continue
        // A durable handler begins again each time that it continues.
        const event = `${String(facts['era'])} ${String(facts['event'])}`
        if ((durable.has(String(facts['file'])) || record.lostPower) && begun.has(event)) continue
        begun.add(event)
        const key = `${String(facts['channel'])} ${String(facts['user'])}`
        const now = { id: Number(facts['event']), era: Number(facts['era']), atMs, process }
        const former = last.get(key)
        if (former && former.era === now.era && former.id > now.id && !isLate(now, former))
          yield `event ${now.id} began after ${former.id}, of the same person in the same channel`
        last.set(key, now)
      }
    },
  },
  {
    name: 'a click is answered or acknowledged in time',
    why: 'the person who clicks sees an error after 3 s of the service, whatever the clock of the bot shows',
    *check({ record, people, plan }) {
      // A poll brings what an event webhook does not.
      const harmless = ['clock', 'reload', ...(plan.delivery === 'both' ? (['webhook'] as const) : [])] as const
      for (const { id, custom_id, atMs, answeredAtMs = Infinity } of people.clicks.values()) {
        if (answeredAtMs <= atMs + ANSWER_MS) continue
        // Until a poll shows that the ids have started again, its copy is one of an event with a known id.
        if (record.hasHiddenReset(atMs)) continue
        if (!record.isCalm(atMs - WAY_MS, atMs + ANSWER_MS, harmless) && !record.isAcked(atMs, ACK_MS)) continue
        yield `click ${id.slice(0, 8)} on "${custom_id}" at ${Math.round(atMs)} ms was not answered within 3 s`
      }
    },
  },
  {
    name: 'the message budget is kept',
    why: 'the service refuses the 31st message of a minute, and counts refusals against the bot',
    *check({ record }) {
      for (const { method, path, status, retryAfter, sentAtMs, answeredAtMs } of record.requests) {
        if (status !== 429 || retryAfter !== true || method !== 'POST' || !path.endsWith('/messages')) continue
        // The times of sending survive a restart in the journal, by the clock of the host.
        const fromMs = sentAtMs - limits.messages.seconds * 1000 - WAY_MS
        const isForgotten = record.lostPower || record.happened('disk', fromMs - 60_000, answeredAtMs)
        const forgets = record.ended(fromMs, answeredAtMs) && isForgotten
        if (forgets || (record.ended(fromMs, answeredAtMs) && record.happened('clock'))) continue
        yield `the message at ${Math.round(sentAtMs)} ms was one too many`
      }
    },
  },
  {
    name: 'nothing is left',
    why: 'a bot that keeps something of each event runs out of memory or of disk',
    *check({ running, disk, process, record, world }) {
      const setAside = setAsideOf(disk)
      const { waiting } = running!.call.stats()
      if (waiting > 0) yield `${waiting} messages wait for the budget`
      if (process!.timers > MOST_TIMERS) yield `${process!.timers} timers are set`
      const values = valuesOf(disk, process!.now())
      const heads = new Map(values.flatMap(({ key, value }) => (key.startsWith('run:head:') ? [[key, value]] : [])))
      // A process may end while it deletes the rows of a run that has ended. The last one wakes the run, and then goes.
      const isLeft = (key: string, value: string): boolean => {
        const dueMs = Number(/^run:due:(\d+):/.exec(key)?.[1])
        const head = heads.get(`run:head:${(JSON.parse(value) as { run?: string }).run}`)
        const { status, changedMs } = JSON.parse(head ?? '{}') as { status?: string; changedMs?: number }
        const isOver = status !== undefined && status !== 'waiting'
        return isOver && dueMs > process!.now() && record.ended(changedMs! - world.startMs, Infinity)
      }
      for (const { key, value } of values) {
        // Nothing shows which runs the service has dropped.
        if (key.startsWith('run:') && record.hasHiddenReset()) continue
        const run = runOf(key, value)
        // A replay of an event that was set aside continues its run. Until then, no message waits for it.
        if (run !== undefined && setAside.has(run) && !key.startsWith('run:key:')) continue
        if (run !== undefined && !heads.has(`run:head:${run}`))
          yield `${key} belongs to a run that nothing continues: ${value.slice(0, 300)}`
        // The times of runs are those of the host: after its clock was set back, they wait for it.
        if (key.startsWith('run:') && record.happened('clock')) continue
        if (key.startsWith('run:due:') && isLeft(key, value)) continue
        if (key.startsWith('broadcast:') && !(JSON.parse(value) as { ended?: string }).ended)
          yield `the broadcast ${key} has not ended: ${value.slice(0, 300)}`
        // A run that has ended is kept for a day, so that its event is not handled again.
        if (/^run:head:/.test(key) ? (JSON.parse(value) as { status: string }).status === 'waiting' : rest.test(key))
          yield `the stored value ${key} is left: ${value.slice(0, 300)}`
      }
    },
  },
  {
    name: 'no event ends with an error of the runtime',
    why: 'it counts as finished, but has not run',
    *check({ record }) {
      for (const { code, msg } of record.lines) if (code === 'run_failed') yield msg
    },
  },
  {
    name: 'durable handlers repeat their record',
    why: 'a run that does not, although its code is the same, is lost',
    *check({ record }) {
      for (const { text, atMs } of record.lines)
        // The service has given the id of an unfinished event to another one.
        if (text.includes('but the record has') && !record.hasHiddenReset(atMs))
          yield `logged at ${Math.round(atMs)} ms: ${text.slice(0, 400)}`
    },
  },
  {
    name: 'a task counts as interrupted only if its process has ended',
    why: 'its author would look for a crash that did not happen',
    *check({ record, world }) {
      // The time of a run is that of the host.
      if (record.happened('clock')) return
      for (const { msg, atMs } of record.lines) {
        const time = /: its run of (\S+) was interrupted/.exec(msg)?.[1]
        if (time !== undefined && !record.ended(Date.parse(time) - world.startMs, atMs))
          yield `no process has ended, but at ${Math.round(atMs)} ms it logged: ${msg}`
      }
    },
  },
  errorsHaveReasons,
  {
    name: 'secrets stay secret',
    why: 'a token in a log or in a stored row lets its reader act as the bot',
    *check({ record, disk, plan, ...facts }) {
      const secrets = [...facts.secrets, ...record.secrets]
      // Runs that wait, or have failed, keep the clicks that they have received.
      const mayKeep = record.incidents.length > 0
      for (const { text } of record.lines)
        if (secrets.some((secret) => text.includes(secret))) yield `a token is in the log: ${text.slice(0, 200)}`
      for (const [path, db] of disk.files) {
        const tables = db.prepare<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
        for (const { name } of tables)
          for (const row of db.prepare(`SELECT * FROM ${name}`).all()) {
            const text = JSON.stringify(row)
            // The journal keeps copies of event webhooks, which no poll may return, until it is compacted.
            if (name === 'log' && path.endsWith('journal.db') && plan.delivery !== 'poll') continue
            if (mayKeep && (text.includes('"run:log:') || name === 'set_aside')) continue
            if (secrets.some((secret) => text.includes(secret)))
              yield `a token is left in ${path.replace(/^.*\//, '')}, ${name}: ${text.slice(0, 300)}`
          }
      }
    },
  },
]

/** The stored values of the bot that have not expired. */
function valuesOf({ files }: SimDisk, nowMs: number): { key: string; value: string }[] {
  const db = [...files].find(([path]) => path.endsWith('state.db'))?.[1]
  const text = 'SELECT key, value FROM value WHERE expires_at_ms IS NULL OR expires_at_ms > ?'
  return db?.prepare<{ key: string; value: string }>(text).all(nowMs) ?? []
}

/** The keys of the events that are set aside. */
function setAsideOf({ files }: SimDisk): Set<string> {
  const db = [...files].find(([path]) => path.endsWith('journal.db'))?.[1]
  const rows = db?.prepare<{ id: number; era: number }>('SELECT event_id AS id, era FROM set_aside').all() ?? []
  return new Set(rows.map((row) => String(eventKey(row))))
}

/** The run of a row that no run needs without a head once nothing waits. */
function runOf(key: string, value: string): string | undefined {
  if (key.startsWith('run:key:')) return (JSON.parse(value) as { run: string }).run
  return /^run:log:(.*):\d+:\d+$/.exec(key)?.[1]
}

/** Whether an event starts a handler of its own. */
export function runs({ type, data }: Pick<BotEvent, 'type' | 'data'>): boolean {
  if (type === 'message') return typeof data['command'] === 'string' && data['author_bot'] !== true
  return type === 'interaction' && !String(data['custom_id']).startsWith('?')
}

/** Whether the person saw no error: the bot has answered the click, or acknowledged it. */
const isAnswered = (click: SimClick | undefined): boolean => click?.answeredAtMs !== undefined

/** A notice to the person of a lost question may be refused, or be too late. */
const forgives = ['http', 'forbid', 'disk', 'clock', 'suspend'] as const
const isLostNotice =
  ({ author_id, channel_id }: BotEvent['data'], fromMs: number) =>
  (one: SimMessage) =>
    one.channel_id === channel_id &&
    one.atMs > fromMs &&
    one.content.startsWith(`<@${String(author_id)}> I restarted while`)

/** Reports of events that end without a run. */
const isSetAside = new Set(['event_set_aside', 'event_expired'])
/** Rows that must be gone when nothing waits. */
const rest = /^(run:(key|due)|ask:)/
const DAY_MS = limits.event_retention.seconds * 1000

/** Whether the bot has nothing to do. */
export function isQuiet(running: RunningBot | undefined): boolean {
  if (!running) return false
  const { waiting, gathered = 0, running: runs } = running.stats()
  return waiting + gathered + runs === 0 && !running.busy && running.call.stats().waiting === 0
}
