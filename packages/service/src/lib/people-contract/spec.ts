import { visibleName } from '@botwright/protocol'
import { z } from 'zod'

/** Where the endpoints of this side are stated: the people's side has no section in the specification. */
export const spec = 'people'

export const Name = visibleName(z.string().refine((value) => value.trim() !== '', { error: 'must not be empty' }))
