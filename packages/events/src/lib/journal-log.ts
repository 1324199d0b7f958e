import { type BotEvent, isEventId, isObject, readEvent } from './bot-event.ts'

/** An event whose handler started, and the number of the attempt. */
export interface Started {
  readonly id: number
  readonly attempt: number
}

/** The position of a feed. */
export interface Cursor {
  /** Everything received up to this id is finished. */
  after: number
  /** Wall clock at the time it was saved. */
  savedAtMs: number
}

/** The content of one commit, which becomes durable as a whole. */
export interface Group {
  started?: readonly Started[]
  done?: readonly number[]
  cursor?: Cursor
  /** Events from the webhook: kept whole until they are done, as no poll may return them again. */
  offered?: readonly BotEvent[]
  /** The service's ids restarted: drop every id except those of kept bodies. */
  reset?: boolean
}

/** The state after all rows of a journal. */
export class JournalState {
  cursor: Cursor | undefined
  /** Started and not done, with the number of the last attempt. */
  readonly unfinished = new Map<number, number>()
  /** Done, above the cursor: a poll returns these again. */
  readonly done = new Set<number>()
  readonly bodies = new Map<number, BotEvent>()

  apply(group: Group): void {
    if (group.reset) {
      this.done.clear()
      for (const id of this.unfinished.keys()) if (!this.bodies.has(id)) this.unfinished.delete(id)
    }
    if (group.offered) for (const event of group.offered) this.bodies.set(event.id, event)
    if (group.started) for (const { id, attempt } of group.started) this.unfinished.set(id, attempt)
    if (group.done) {
      for (const id of group.done) {
        this.unfinished.delete(id)
        this.bodies.delete(id)
        this.done.add(id)
      }
    }
    if (group.cursor) this.cursor = group.cursor
  }

  /** The whole state as one group, which replaces all earlier rows. */
  snapshot(): Group {
    const after = this.cursor?.after ?? 0
    for (const id of this.done) if (id <= after) this.done.delete(id)
    return {
      started: [...this.unfinished].map(([id, attempt]) => ({ id, attempt })),
      done: [...this.done],
      offered: [...this.bodies.values()],
      ...(this.cursor && { cursor: this.cursor }),
    }
  }
}

/** One row's text. Short keys and flat lists: this runs once per batch of events, on the hot path. */
export function encodeGroup({ started, done, cursor, offered, reset }: Group): string {
  let text = reset ? '{"x":1' : '{"x":0'
  if (started?.length) {
    let list = ''
    for (const { id, attempt } of started) list += `,${id},${attempt}`
    text += `,"s":[${list.slice(1)}]`
  }
  if (done?.length) text += `,"d":[${done.join()}]`
  if (cursor) text += `,"c":[${cursor.after},${cursor.savedAtMs}]`
  if (offered?.length) text += `,"o":${JSON.stringify(offered)}`
  return text + '}'
}

/** Reads a row's text. @throws RangeError if `encodeGroup` did not write it. */
export function decodeGroup(text: string): Group {
  const row: unknown = JSON.parse(text)
  if (!isObject(row)) throw new RangeError('a journal row is not an object')
  const numbers = (key: string): number[] => {
    const list = row[key] ?? []
    if (!Array.isArray(list) || !list.every((n) => Number.isSafeInteger(n)))
      throw new RangeError(`a journal row has a broken list "${key}"`)
    return list as number[]
  }
  const pairs = numbers('s')
  const started: Started[] = []
  for (let i = 0; i + 1 < pairs.length; i += 2) started.push({ id: pairs[i]!, attempt: pairs[i + 1]! })
  const done = numbers('d')
  if (!started.every(({ id }) => isEventId(id)) || !done.every(isEventId))
    throw new RangeError('a journal row has an impossible event id')
  const [after, savedAtMs] = numbers('c')
  const list = row['o'] ?? []
  if (!Array.isArray(list)) throw new RangeError('a journal row has a broken list "o"')
  const offered = list.map((value: unknown) => {
    const event = readEvent(value, 0)
    if (typeof event === 'string') throw new RangeError(`a journal row has a broken event: ${event}`)
    return event
  })
  const cursor = after !== undefined && savedAtMs !== undefined && { after, savedAtMs }
  return { started, done, offered, reset: row['x'] === 1, ...(cursor && { cursor }) }
}
