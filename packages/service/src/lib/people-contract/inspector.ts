import { endpoint, Time } from '@botwright/protocol'
import { z } from 'zod'
import { BotCall, BotEvent, BotUsage } from '../people-resources.ts'
import { spec } from './spec.ts'

export const inspector = {
  journal: endpoint({
    method: 'GET',
    path: '/bots/{bot_id}/journal',
    spec,
    summary: 'What an own bot got and did lately, oldest first; from then on the stream tells of more',
    response: z.object({ now: Time, calls: z.array(BotCall), events: z.array(BotEvent), usage: BotUsage }),
  }),
} as const
