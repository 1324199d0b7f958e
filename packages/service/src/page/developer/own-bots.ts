import { signal } from '@preact/signals'
import type { OwnedBot } from '../../people.ts'
import { developerApi } from './calls.ts'

/** The own bots, once the Developer screen or the inspector asked for them. */
export const ownBots = signal<OwnedBot[] | undefined>(undefined)

export async function loadOwnBots(): Promise<void> {
  ownBots.value = (await developerApi.bots()).bots
}

/** Tokens that were shown in this visit of the screen; gone with it. */
export const shownToken = signal<{ botId: string; token: string } | undefined>(undefined)

export const reviewWords = {
  private: { label: 'Private', tone: '' },
  submitted: { label: 'In review', tone: 'badge-accent' },
  approved: { label: 'Approved', tone: 'badge-green' },
  sent_back: { label: 'Sent back', tone: 'badge-amber' },
} as const
