import { Category, endpoint, endpoints } from '@botwright/protocol'
import * as z from 'zod'
import { spec } from '../spec.ts'

export const channels = {
  create: endpoint({ ...endpoints.channels.create, spec }),
  update: endpoint({ ...endpoints.channels.update, spec }),
  delete: endpoint({ ...endpoints.channels.delete, spec }),
  createCategory: endpoint({ ...endpoints.categories.create, spec, response: z.object({ category: Category }) }),
} as const
