import { batch, computed, signal } from '@preact/signals'
import { isUnhandled } from '@botwright/protocol/timeline'
import type { BotCall, BotEvent, BotUsage, StreamEvent, TimelineSummary } from '../../people.ts'
import { dropOrder } from '../../lib/framework-dev/drop-order.ts'
import { api } from './api.ts'
import { nameOfId } from './names.ts'
import { inspectorShown } from './route.ts'
import { isFailed, isOwnWork, timelineKey, timelines, timelinesLoaded } from './timelines.ts'

/** Maximum number of entries kept in the page; the oldest are dropped first, and problems last. */
const KEPT = 2000

export type Entry =
  | { kind: 'event'; key: string; at: string; event: BotEvent }
  | { kind: 'call'; key: string; at: string; call: BotCall }

/** Events in a row that no file handled. Calls between them do not end the row: they were not made for them. */
export interface Fold {
  kind: 'fold'
  key: string
  at: string
  events: Entry[]
}

/** The id of the inspected bot. */
export const inspectedBot = signal<string | undefined>(undefined)
/** Its events and calls, oldest first. */
export const entries = signal<Entry[]>([])
export const usage = signal<BotUsage | undefined>(undefined)
/** Entries that arrived while paused. */
export const waiting = signal<Entry[]>([])
export const paused = signal(false)

export type Kind = 'all' | 'events' | 'calls' | 'problems'
export const kind = signal<Kind>('all')
/** An event type, or a method and path, or '' for all. */
export const type = signal('')
export const pollsShown = signal(false)

/** The keys of the entries that are open. */
export const openEntries = signal<ReadonlySet<string>>(new Set())
/** The key of an entry to scroll to. */
export const wantedEntry = signal<string | undefined>(undefined)

const eventKey = (id: number): string => `e${id}`
const eventEntry = (event: BotEvent): Entry => ({ kind: 'event', key: eventKey(event.id), at: event.at, event })
/** An event that is older than the journal, or work of the bot's own. */
const earlierEntry = ({ event_id, type, received_at }: TimelineSummary): Entry =>
  eventEntry({ id: event_id, type, at: received_at, data: '' })
const callEntry = (made: BotCall): Entry => ({ kind: 'call', key: `c${made.id}`, at: made.at, call: made })

const isPoll = (entry: Entry): boolean => entry.kind === 'call' && entry.call.path.startsWith('/v1/events')
/** The timeline of an event, if `framework dev` runs the bot. */
export const timelineOfEntry = (entry: Entry): TimelineSummary | undefined =>
  entry.kind === 'event' ? timelines.value.get(timelineKey(inspectedBot.value ?? '', entry.event.id)) : undefined
export function isProblem(entry: Entry): boolean {
  if (entry.kind === 'call') return entry.call.status >= 400 || entry.call.warnings.length > 0
  const timeline = timelineOfEntry(entry)
  return timeline !== undefined && isFailed(timeline)
}

const hasNoHandler = (entry: Entry): boolean => {
  const timeline = timelineOfEntry(entry)
  return timeline !== undefined && isUnhandled(timeline)
}

/** The newest entries, and problems that are older. */
function newest(list: Entry[]): Entry[] {
  if (list.length <= KEPT) return list
  const dropped = new Set(dropOrder(list, isProblem).slice(0, list.length - KEPT))
  return list.filter((entry) => !dropped.has(entry))
}

const id = '[0-9a-f]{8}-[0-9a-f-]{27}'
const ids = new RegExp(id, 'gi')
const endpoint = (path: string): string => path.replace(/\?.*$/, '').replace(/^\/v1/, '').replace(/…/, '{token}')
/** A path without query, with the names of what it addresses; an id without a known name becomes `{id}`. */
export const namedPath = (path: string): string => endpoint(path).replace(ids, (each) => nameOfId(each) ?? '{id}')
/** A text with the names of what it mentions; an id without a known name is cut. */
export const withNames = (text: string): string => text.replace(ids, (each) => nameOfId(each) ?? `${each.slice(0, 8)}…`)
/** The endpoint that was called, or the type of the event. */
const typeOf = (entry: Entry): string =>
  entry.kind === 'event' ? entry.event.type : `${entry.call.method} ${endpoint(entry.call.path).replace(ids, '{id}')}`

export const types = computed(() => [...new Set(entries.value.map(typeOf))].sort())
const shown = computed(() =>
  entries.value.filter((entry) => {
    if (isPoll(entry) && !pollsShown.value && !isProblem(entry)) return false
    if (type.value !== '' && typeOf(entry) !== type.value) return false
    if (kind.value === 'events') return entry.kind === 'event'
    if (kind.value === 'calls') return entry.kind === 'call'
    return kind.value === 'all' || isProblem(entry)
  }),
)

/** The entries that are shown. Those that no file handled are folded, unless their type was selected. */
export const rows = computed((): (Entry | Fold)[] => {
  if (type.value !== '') return shown.value
  const all: (Entry | Fold)[] = []
  let fold: Fold | undefined
  for (const entry of shown.value) {
    if (!hasNoHandler(entry)) {
      all.push(entry)
      if (entry.kind === 'event') fold = undefined
    } else if (fold) {
      fold.events.push(entry)
      fold.at = entry.at
    } else all.push((fold = { kind: 'fold', key: `f${entry.key}`, at: entry.at, events: [entry] }))
  }
  return all.flatMap((row) => {
    if (row.kind !== 'fold') return [row]
    if (row.events.length === 1) return row.events
    return openEntries.value.has(row.key) ? [row, ...row.events] : [row]
  })
})

/** Loads the journal of a bot; the stream then sends new entries. */
export async function loadJournal(botId: string): Promise<void> {
  const before = new Set([...entries.value, ...waiting.value].map(({ key }) => key))
  const [journal] = await Promise.all([api.inspector.journal({ bot_id: botId }), timelinesLoaded()])
  if (inspectedBot.value !== botId) return
  const known = new Set(journal.events.map(({ id: eventId }) => eventId))
  const earlier = [...timelines.value.values()].filter((one) => one.bot_id === botId && !known.has(one.event_id))
  const all = [...earlier.map(earlierEntry), ...journal.events.map(eventEntry), ...journal.calls.map(callEntry)]
  const keys = new Set(all.map(({ key }) => key))
  // The response may be older than what the stream has sent meanwhile.
  const since = [...entries.value, ...waiting.value].filter(({ key }) => !before.has(key) && !keys.has(key))
  batch(() => {
    entries.value = newest([...all, ...since].sort((a, b) => a.at.localeCompare(b.at)))
    waiting.value = []
    usage.value = journal.usage
  })
}

function add(botId: string, entry: Entry, used?: BotUsage): void {
  if (botId !== inspectedBot.value || !inspectorShown.value) return
  const target = paused.value ? waiting : entries
  batch(() => {
    if (!target.value.some((each) => each.key === entry.key)) target.value = newest([...target.value, entry])
    if (used) usage.value = used
  })
}

/** Stream handlers: an event or a call of one of the person's bots. */
export const addEvent = ({ bot_id, event, usage: used }: StreamEvent<'bot_event'>): void =>
  add(bot_id, eventEntry(event), used)
export const addCall = ({ bot_id, call: made, usage: used }: StreamEvent<'bot_call'>): void =>
  add(bot_id, callEntry(made), used)
/** A request to a route of the bot, or a run of a task, which the journal does not have. */
export function addOwnWork({ timeline }: StreamEvent<'bot_timeline'>): void {
  if (isOwnWork(timeline)) add(timeline.bot_id, earlierEntry(timeline))
}

export function setPaused(value: boolean): void {
  batch(() => {
    paused.value = value
    if (value) return
    entries.value = newest([...entries.value, ...waiting.value])
    waiting.value = []
  })
}

export function clearEntries(): void {
  batch(() => {
    entries.value = []
    waiting.value = []
  })
}

/** Opens or closes an entry. */
export function toggleEntry(key: string): void {
  const open = new Set(openEntries.value)
  if (!open.delete(key)) open.add(key)
  openEntries.value = open
}

/** Opens the inspector at an event. */
export function showTimeline({ bot_id, event_id }: TimelineSummary): void {
  const key = eventKey(event_id)
  batch(() => {
    inspectedBot.value = bot_id
    inspectorShown.value = true
    kind.value = 'all'
    type.value = ''
    openEntries.value = new Set([...openEntries.value, key])
    wantedEntry.value = key
  })
}
