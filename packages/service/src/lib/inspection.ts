import type { EventData } from '@botwright/protocol'
import type { BotJournal } from './people-api/resources.ts'

/** The journal of bots for their owners; implemented by `Inspector`. */
export interface Inspection {
  /** Returns the journal of a bot; from now on its owner's pages receive updates. */
  watch(botId: string, ownerId: string): BotJournal
  /** Records an event for a bot. */
  event(botId: string, given: { id: number; event: string; data: () => EventData }): void
  clear(): void
}
