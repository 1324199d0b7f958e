import { signal } from '@preact/signals'
import type { OwnedBot, StreamEvent } from '../../people.ts'
import { api } from './api.ts'

/** The person's bots, once the Developer screen or the inspector has loaded them. */
export const ownBots = signal<OwnedBot[] | undefined>(undefined)

export async function loadOwnBots(): Promise<void> {
  ownBots.value = (await api.bots.list()).bots
}

/** Stream handler: a bot started or stopped polling. */
export function patchPresence({ user_id, presence }: StreamEvent<'presence'>): void {
  ownBots.value = ownBots.value?.map((bot) => (bot.id === user_id ? { ...bot, presence } : bot))
}

/** A bot was deleted, perhaps in another window. */
export function dropOwnBot(botId: string): void {
  ownBots.value = ownBots.value?.filter((bot) => bot.id !== botId)
}

/** The token to show once; cleared when the screen closes. */
export const shownToken = signal<{ botId: string; token: string } | undefined>(undefined)

export const reviewWords = {
  private: { label: 'Private', tone: '' },
  submitted: { label: 'In review', tone: 'badge-accent' },
  approved: { label: 'Approved', tone: 'badge-green' },
  sent_back: { label: 'Sent back', tone: 'badge-amber' },
} as const
