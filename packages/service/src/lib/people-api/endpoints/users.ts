import { endpoint, Id, PublicProfile } from '@botwright/protocol'
import * as z from 'zod'
import { spec } from '../spec.ts'

export const users = {
  get: endpoint({
    method: 'GET',
    path: '/users/{user_id}',
    spec,
    summary: 'Get a public profile',
    response: PublicProfile,
  }),
  dm: endpoint({
    method: 'POST',
    path: '/users/{user_id}/dm',
    spec,
    summary: 'Open the direct message channel with a user, or get the existing one',
    response: z.object({ channel_id: Id }),
  }),
} as const
