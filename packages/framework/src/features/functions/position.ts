import type { Config } from '../../author/config/config.ts'
import type { StateStore } from '../../author/ports.ts'

const KEY = 'function:position'

/** All events up to `after` are done. `era`: how often the service's ids have started again. */
export interface Position {
  after: number
  era: number
  /** When it was saved, in milliseconds since 1970. */
  atMs: number
}

/** Reads the position; undefined before the first event and the first scheduled run. */
export async function readPosition(store: StateStore): Promise<Position | undefined> {
  return (await store.get(KEY))?.value as Position | undefined
}

/**
 * Saves the position, unless another scheduled run has noticed that the ids have started again. Two runs at the same time may set it back within
 * an era: the marks of events prevent a second run.
 */
export const savePosition = (store: StateStore, position: Position): Promise<Position> =>
  put(store, position, (present) => present.era > position.era)

/** The position after which a poll returns this event. Never 0, which asks for no events (§4). */
export const before = (id: number): number => Math.max(id - 1, 1)

/**
 * Stores the first position after the ids have started again, unless another scheduled run has stored one. Returns the stored one: that run may
 * have left events after it.
 */
export const newPosition = (store: StateStore, position: Position): Promise<Position> =>
  put(store, position, (present) => present.era >= position.era)

/** Stores a position unless the present one stays. Returns the stored one. */
async function put(store: StateStore, position: Position, stays: (present: Position) => boolean): Promise<Position> {
  for (;;) {
    const stored = await store.get(KEY)
    const present = stored?.value as Position | undefined
    if (present && stays(present)) return present
    if (await store.set(KEY, position, { expected: stored?.version ?? 0 })) return position
  }
}

/**
 * Stores the first position, unless another invocation has stored one. Returns the stored one. `newest`: the bot starts after this event, if
 * it does not start with the kept ones.
 */
export const firstPosition = (
  store: StateStore,
  { start }: Pick<Config, 'start'>,
  newest: number,
  atMs: number,
): Promise<Position> => put(store, { after: start === 'kept' ? 1 : newest, era: 0, atMs }, () => true)
