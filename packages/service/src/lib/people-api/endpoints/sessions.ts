import { Author, endpoint, visibleName } from '@botwright/protocol'
import * as z from 'zod'
import { Person } from '../resources.ts'
import { spec } from '../spec.ts'

/** A username. Others type it, so it contains no spaces and no invisible characters. */
export const Username = visibleName(
  (name) => name.regex(/^[^\s@#:<>]{1,32}$/u, { error: 'must be 1 to 32 characters without spaces, @, #, :, < or >' }),
  { strict: true },
)

export const sessions = {
  list: endpoint({
    method: 'GET',
    path: '/sessions',
    spec,
    summary: 'List the people, to sign in as one of them',
    response: z.object({ people: z.array(Author) }),
    auth: 'none',
  }),
  create: endpoint({
    method: 'POST',
    path: '/sessions',
    spec,
    summary: 'Sign in by name; a new name creates the person',
    body: z.object({ username: Username }),
    response: z.object({ token: z.string(), person: Person }),
    auth: 'none',
  }),
} as const
