import { endpoint, endpoints, Reaction } from '@botwright/protocol'
import * as z from 'zod'
import { spec } from '../spec.ts'

export const reactions = {
  list: endpoint({ ...endpoints.reactions.list, spec, response: z.object({ reactions: z.array(Reaction) }) }),
  add: endpoint({ ...endpoints.reactions.add, spec }),
  remove: endpoint({ ...endpoints.reactions.remove, spec }),
} as const
