import type { BotEvent, Delivery, EventKey, Gathered } from '@botwright/events'
import type { Definition } from '../../author/files/entries.ts'

/** Gathers bursts of events in front of the bot's dispatcher. */
export interface Gathers {
  /** Called with the definitions of new code. */
  update(definitions: readonly Definition[]): void
  /** Runs a delivery, or gathers it. Rejects with `Unfinished` while the bot stops. */
  dispatch(delivery: Delivery): Promise<void | Gathered>
  /** A file gathers a running event. */
  report(event: EventKey, file: string): void
  /** An event is about to be set aside. Returns it with the others of its running burst. */
  setAside(event: BotEvent, reason: string): readonly BotEvent[]
  /** No burst begins from now on: its events run again after the next start. */
  stop(): void
  /** Other instances run all events that are open. */
  abandon(): void
}
