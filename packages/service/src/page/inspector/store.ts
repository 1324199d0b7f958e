import { batch, computed, signal } from '@preact/signals'
import type { BotCall, BotEvent, BotUsage, StreamEvent } from '../../people.ts'
import { api } from '../api.ts'
import { nameOfId } from '../names.ts'
import { inspectorShown } from '../route.ts'

/** Maximum number of entries kept in the page; the oldest are dropped first. */
const KEPT = 500

export type Entry =
  | { kind: 'event'; key: string; at: string; event: BotEvent }
  | { kind: 'call'; key: string; at: string; call: BotCall }

/** The id of the inspected bot. */
export const inspectedBot = signal<string | undefined>(undefined)
/** Its events and calls, oldest first. */
export const entries = signal<Entry[]>([])
export const usage = signal<BotUsage | undefined>(undefined)
/** Entries that arrived while paused. */
export const waiting = signal<Entry[]>([])
export const paused = signal(false)
/** Milliseconds by which the service's clock is ahead of the browser's; tests can advance it. */
export const clockAheadMs = signal(0)

export type Kind = 'all' | 'events' | 'calls' | 'problems'
export const kind = signal<Kind>('all')
/** An event type, or a method and path, or '' for all. */
export const type = signal('')
export const pollsShown = signal(false)

const eventEntry = (event: BotEvent): Entry => ({ kind: 'event', key: `e${event.id}`, at: event.at, event })
const callEntry = (made: BotCall): Entry => ({ kind: 'call', key: `c${made.id}`, at: made.at, call: made })

const isPoll = (entry: Entry): boolean => entry.kind === 'call' && entry.call.path.startsWith('/v1/events')
export const isProblem = (entry: Entry): boolean =>
  entry.kind === 'call' && (entry.call.status >= 400 || entry.call.warnings.length > 0)

const id = '[0-9a-f]{8}-[0-9a-f-]{27}'
const ids = new RegExp(id, 'gi')
const endpoint = (path: string): string => path.replace(/\?.*$/, '').replace(/^\/v1/, '').replace(/…/, '{token}')
/** A path without query, with the names of what it addresses; an id without a known name becomes `{id}`. */
export const namedPath = (path: string): string => endpoint(path).replace(ids, (each) => nameOfId(each) ?? '{id}')
/** The endpoint that was called, or the type of the event. */
const typeOf = (entry: Entry): string =>
  entry.kind === 'event' ? entry.event.type : `${entry.call.method} ${endpoint(entry.call.path).replace(ids, '{id}')}`

export const types = computed(() => [...new Set(entries.value.map(typeOf))].sort())
export const shown = computed(() =>
  entries.value.filter((entry) => {
    if (isPoll(entry) && !pollsShown.value && !isProblem(entry)) return false
    if (type.value !== '' && typeOf(entry) !== type.value) return false
    if (kind.value === 'events') return entry.kind === 'event'
    if (kind.value === 'calls') return entry.kind === 'call'
    return kind.value === 'all' || isProblem(entry)
  }),
)

function setUsage(next: BotUsage): void {
  usage.value = next
  clockAheadMs.value = Date.parse(next.now) - Date.now()
}

/** Loads the journal of a bot; the stream then sends new entries. */
export async function loadJournal(botId: string): Promise<void> {
  const journal = await api.inspector.journal({ bot_id: botId })
  if (inspectedBot.value !== botId) return
  const all = [...journal.events.map(eventEntry), ...journal.calls.map(callEntry)]
  batch(() => {
    entries.value = all.sort((a, b) => a.at.localeCompare(b.at)).slice(-KEPT)
    waiting.value = []
    setUsage(journal.usage)
  })
}

function add(botId: string, entry: Entry, used: BotUsage): void {
  if (botId !== inspectedBot.value || !inspectorShown.value) return
  const target = paused.value ? waiting : entries
  batch(() => {
    if (!target.value.some((each) => each.key === entry.key)) target.value = [...target.value, entry].slice(-KEPT)
    setUsage(used)
  })
}

/** Stream handlers: an event or a call of one of the person's bots. */
export const botGot = ({ bot_id, event, usage: used }: StreamEvent<'bot_event'>): void =>
  add(bot_id, eventEntry(event), used)
export const botCalled = ({ bot_id, call: made, usage: used }: StreamEvent<'bot_call'>): void =>
  add(bot_id, callEntry(made), used)

export function setPaused(value: boolean): void {
  batch(() => {
    paused.value = value
    if (value) return
    entries.value = [...entries.value, ...waiting.value].slice(-KEPT)
    waiting.value = []
  })
}

export function clearEntries(): void {
  batch(() => {
    entries.value = []
    waiting.value = []
  })
}
