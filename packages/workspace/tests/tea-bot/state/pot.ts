import { state } from '@botwright/framework'
import { z } from 'zod'

/** Version 1 stored only the name of the tea. */
export const fromVersion1 = (tea: string) => ({ tea, cups: 6 })

/** The teapot of a channel. */
export default state({
  scope: 'channel',
  version: 2,
  schema: z.object({ tea: z.string(), cups: z.number().int().min(0) }),
  migrate: { 1: fromVersion1 },
})
