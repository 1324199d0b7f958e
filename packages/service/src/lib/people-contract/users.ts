import { endpoint, Id, PublicProfile } from '@botwright/protocol'
import { z } from 'zod'
import { spec } from './spec.ts'

export const users = {
  get: endpoint({
    method: 'GET',
    path: '/users/{user_id}',
    spec,
    summary: 'A public profile',
    response: PublicProfile,
  }),
  dm: endpoint({
    method: 'POST',
    path: '/users/{user_id}/dm',
    spec,
    summary: 'Opens or finds direct messages',
    response: z.object({ channel_id: Id }),
  }),
} as const
