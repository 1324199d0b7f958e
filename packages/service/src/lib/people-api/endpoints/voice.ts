import { endpoint, Ok } from '@botwright/protocol'
import { spec } from '../spec.ts'

export const voice = {
  join: endpoint({
    method: 'PUT',
    path: '/channels/{channel_id}/voice',
    spec,
    summary: 'Join a voice channel',
    response: Ok,
  }),
  leave: endpoint({
    method: 'DELETE',
    path: '/channels/{channel_id}/voice',
    spec,
    summary: 'Leave a voice channel',
    response: Ok,
  }),
} as const
