import { state } from '@botwright/framework'
import type { Votes } from '../lib/poll.ts'

/** The votes of a poll by the id of its message, for 90 days after the last one. */
export default state<Votes>({ per: 'key', initial: {}, expires: '90d' })
