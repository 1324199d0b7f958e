import type { EventData } from '@botwright/protocol'
import type { BotCall, BotEvent, BotUsage } from './people-api/resources.ts'

/** The journal of bots for their owners; implemented by `Inspector`. */
export interface Inspection {
  /** Returns the journal of a bot; from now on its owner's pages receive updates. */
  watch(botId: string, ownerId: string): { now: string; calls: BotCall[]; events: BotEvent[]; usage: BotUsage }
  /** Records an event for a bot. */
  event(botId: string, given: { id: number; event: string; data: () => EventData }): void
  clear(): void
}
