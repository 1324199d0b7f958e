import { durationText } from '@botwright/framework'

export interface Reminder {
  user_id: string
  /** Where to send it; null for a direct message to the person. */
  channel_id: string | null
  text: string
}

/** `in 2 h: water the plants` */
export const dueText = ({ at, payload }: { at: Date; payload: Reminder }, nowMs: number): string =>
  `in ${durationText(Math.max(0, at.getTime() - nowMs))}: ${payload.text}`
