/** One event, as the feed delivers it: the envelope of §6. `data` depends on `type`; unknown types pass through. */
export interface BotEvent {
  // Increasing, but not consecutive.
  id: number
  type: string
  data: Record<string, unknown>
  // ISO time. For events from the webhook, the time of arrival.
  created_at: string
  // How often the service's ids had started again. Left out: 0. Set by the feed. In functions, a number of the event's ids.
  era?: number
}

/** An event's id, with its era if the service's ids have started again: `900@1`. */
export type EventKey = number | string

/** The key of an event. */
export const eventKey = ({ id, era }: Pick<BotEvent, 'id' | 'era'>): EventKey => (era ? `${id}@${era}` : id)

/** The id and the era of a key; undefined for any other value. */
export function readEventKey(key: unknown): { id: number; era: number } | undefined {
  const [id, era = 0] = typeof key === 'string' && /^\d{1,16}@\d{1,16}$/.test(key) ? key.split('@').map(Number) : [key]
  return isEventId(id) && isEra(era) ? { id, era } : undefined
}

/** One run of the handlers for one event. */
export interface Delivery {
  readonly event: BotEvent
  // 1 for the first run. Higher if a process or thread died while the event was running: it may have done some of the work.
  readonly attempt: number
  // The replay of an event that was set aside. Left out: false.
  readonly asked?: boolean
  // An earlier process has received and stored its copy of the event webhook. Left out: false.
  readonly kept?: boolean
  // How long a click can still be answered, from the begin of the run. Left out where that is not measured.
  readonly openMs?: number
  // How many answers the click has had before this run. Left out: 0.
  readonly answersUsed?: number
  // Files that gather do not run: they report that they gather this event.
  readonly gathers?: true
  // The events of a burst, for the file that has gathered them. The last one is that of the delivery.
  readonly burst?: { readonly file: string; readonly events: readonly BotEvent[] }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Ids are positive integers (§6). Other values have no order.
export const isEventId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

const isEra = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

// The service refuses JSON nested deeper than 64. Deeper values overflow the stack of `JSON.stringify`.
export const MAX_DEPTH = 128

// Whether objects and arrays are nested at most `depth` levels deep.
export function isShallow(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key]
    if (typeof inner === 'object' && !isShallow(inner, depth - 1)) return false
  }
  return true
}

/** Reads one event of a page leniently. Returns the reason if it is unusable. */
export function readEvent(value: unknown, nowMs: number): BotEvent | string {
  if (!isObject(value)) return 'it is not an object'
  const { id, type, data, created_at, era } = value
  if (!isEventId(id)) return 'its id is not a positive integer'
  if (typeof type !== 'string' || type === '') return `its type is not a string (event ${id})`
  if (!isShallow(value)) return `it is nested deeper than ${MAX_DEPTH} (event ${id})`
  // A field of this name may be the service's own.
  if (era !== undefined && !isEra(era)) delete value['era']
  if (isObject(data) && typeof created_at === 'string') return value as unknown as BotEvent
  if (data !== undefined && data !== null && !isObject(data)) return `its data is not an object (event ${id})`
  const time = typeof created_at === 'string' ? created_at : new Date(nowMs).toISOString()
  return { ...value, id, type, data: data ?? {}, created_at: time }
}

/** Events with the same key run one after the other: a channel's events, or the clicks on one message. */
export function laneKey({ type, data }: BotEvent): string {
  if (type === 'interaction' && typeof data['message_id'] === 'string') return `click:${data['message_id']}`
  const channel = data['channel_id']
  if (typeof channel === 'string') return channel
  // Other values need not be strings: an object may even throw when converted to one.
  const server = data['server_id']
  return `${typeof server === 'string' ? server : 'null'}:${type}`
}
