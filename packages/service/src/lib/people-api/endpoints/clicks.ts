import { endpoint, Id } from '@botwright/protocol'
import * as z from 'zod'
import { ClickAnswer, ClickState } from '../resources.ts'
import { spec } from '../spec.ts'

const onePath = '/channels/{channel_id}/messages/{message_id}'

export const clicks = {
  create: endpoint({
    method: 'POST',
    path: `${onePath}/clicks`,
    spec,
    summary: 'Click a button',
    body: z.object({ custom_id: z.string() }),
    response: z.object({ interaction_id: Id }),
    limits: ['button_clicks'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/clicks/{interaction_id}',
    spec,
    summary: 'Get the state of a click and the answers to it',
    response: z.object({ state: ClickState, answers: z.array(ClickAnswer) }),
  }),
} as const
