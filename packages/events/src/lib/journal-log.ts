import {
  type BotEvent,
  type Delivery,
  type EventKey,
  eventKey,
  isObject,
  readEvent,
  readEventKey,
} from './bot-event.ts'

/** An event whose handler started, and the number of the attempt. */
export interface Started {
  readonly key: EventKey
  readonly attempt: number
}

export const startedOf = ({ event, attempt }: Delivery): Started => ({ key: eventKey(event), attempt })

/** An event whose run gave up because of a stop: the process has not died while it ran this attempt. It may have done some of the work. */
export const beforeAttempt = ({ event, attempt }: Delivery): Started => ({
  key: eventKey(event),
  attempt: Math.max(1, attempt - 1),
})

/** The position of a feed. */
export interface Cursor {
  /** Everything received up to this id is finished. */
  after: number
  /** Wall clock at the time it was saved. */
  savedAtMs: number
  /** How often the service's ids have started again. Left out: 0. */
  era?: number
}

/** The content of one commit, which becomes durable as a whole. */
export interface Group {
  started?: readonly Started[]
  done?: readonly EventKey[]
  cursor?: Cursor
  /** Events from the webhook: kept whole until they are done, as no poll may return them again. */
  offered?: readonly BotEvent[]
  /** Those of `offered` that run again because their replay was requested. */
  replayed?: readonly EventKey[]
  /** The service's ids started again: polls no longer return earlier events. Those that are unfinished end one by one. */
  reset?: boolean
}

/** The state after all rows of a journal. */
export class JournalState {
  cursor: Cursor | undefined
  /** Started and not done, with the number of the last attempt. */
  readonly unfinished = new Map<EventKey, number>()
  /** Done, above the cursor: a poll returns these again. */
  readonly done = new Set<EventKey>()
  readonly bodies = new Map<EventKey, BotEvent>()
  /** Those of `bodies` that are replays. */
  readonly replayed = new Set<EventKey>()

  apply(group: Group): void {
    if (group.reset) this.done.clear()
    if (group.offered) for (const event of group.offered) this.bodies.set(eventKey(event), event)
    if (group.replayed) for (const key of group.replayed) this.replayed.add(key)
    if (group.started) for (const { key, attempt } of group.started) this.unfinished.set(key, attempt)
    if (group.cursor) this.cursor = group.cursor
    if (!group.done) return
    const { era = 0 } = this.cursor ?? {}
    for (const key of group.done) {
      this.unfinished.delete(key)
      this.bodies.delete(key)
      this.replayed.delete(key)
      // Polls do not return events of an earlier era.
      if (readEventKey(key)!.era === era) this.done.add(key)
    }
  }

  /** The whole state as one group, which replaces all earlier rows. */
  snapshot(): Group {
    const { after = 0 } = this.cursor ?? {}
    for (const key of this.done) if (readEventKey(key)!.id <= after) this.done.delete(key)
    return {
      started: [...this.unfinished].map(([key, attempt]) => ({ key, attempt })),
      done: [...this.done],
      offered: [...this.bodies.values()],
      replayed: [...this.replayed],
      ...(this.cursor && { cursor: this.cursor }),
    }
  }
}

/** One row's text. Short keys and flat lists: this runs once per batch of events, on the hot path. */
export function encodeGroup({ started, done, cursor, offered, replayed, reset }: Group): string {
  let text = reset ? '{"x":1' : '{"x":0'
  if (started?.length) {
    const list: EventKey[] = []
    for (const { key, attempt } of started) list.push(key, attempt)
    text += `,"s":${JSON.stringify(list)}`
  }
  if (done?.length) text += `,"d":${JSON.stringify(done)}`
  if (cursor) text += `,"c":[${cursor.after},${cursor.savedAtMs}${cursor.era ? `,${cursor.era}` : ''}]`
  if (offered?.length) text += `,"o":${JSON.stringify(offered)}`
  if (replayed?.length) text += `,"r":${JSON.stringify(replayed)}`
  return text + '}'
}

/** Reads a row's text. @throws RangeError if `encodeGroup` did not write it. */
export function decodeGroup(text: string): Group {
  const row: unknown = JSON.parse(text)
  if (!isObject(row)) throw new RangeError('a journal row is not an object')
  const listOf = (name: string): unknown[] => {
    const list = row[name] ?? []
    if (!Array.isArray(list)) throw new RangeError(`a journal row has a broken list "${name}"`)
    return list
  }
  const number = (value: unknown): number => {
    if (!Number.isSafeInteger(value)) throw new RangeError('a journal row has a broken number')
    return value as number
  }
  const key = (value: unknown): EventKey => {
    if (readEventKey(value) === undefined) throw new RangeError('a journal row has an impossible event id')
    return value as EventKey
  }
  const pairs = listOf('s')
  const started: Started[] = []
  for (let i = 0; i + 1 < pairs.length; i += 2) started.push({ key: key(pairs[i]), attempt: number(pairs[i + 1]) })
  const done = listOf('d').map(key)
  const replayed = listOf('r').map(key)
  const [after, savedAtMs, era] = listOf('c').map(number)
  const offered = listOf('o').map((value) => {
    const event = readEvent(value, 0)
    if (typeof event === 'string') throw new RangeError(`a journal row has a broken event: ${event}`)
    return event
  })
  const cursor = after !== undefined && savedAtMs !== undefined && { after, savedAtMs, ...(era && { era }) }
  return { started, done, offered, replayed, reset: row['x'] === 1, ...(cursor && { cursor }) }
}
