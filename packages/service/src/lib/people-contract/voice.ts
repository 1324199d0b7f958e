import { endpoint, Ok } from '@botwright/protocol'
import { spec } from './spec.ts'

export const voice = {
  join: endpoint({
    method: 'PUT',
    path: '/channels/{channel_id}/voice',
    spec,
    summary: 'Joins a voice channel',
    response: Ok,
  }),
  leave: endpoint({
    method: 'DELETE',
    path: '/channels/{channel_id}/voice',
    spec,
    summary: 'Leaves a voice channel',
    response: Ok,
  }),
} as const
