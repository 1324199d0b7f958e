import type { EventData } from '@botwright/protocol'
import type { BotCall, BotEvent, BotUsage } from './people-resources.ts'

/** What the service shows a bot's owner of it; `Inspector` is the one there is. */
export interface Inspection {
  /** What there is of a bot now; from here on its owner's pages are told of more. */
  watch(botId: string, ownerId: string): { now: string; calls: BotCall[]; events: BotEvent[]; usage: BotUsage }
  /** An event that a bot was given. */
  event(botId: string, given: { id: number; event: string; data: EventData }): void
  clear(): void
}
