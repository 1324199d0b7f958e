import { state } from '@botwright/framework'

interface Rsvp {
  coming: string[]
}

/** The people who come to an event, for 90 days after the last answer. */
export default state<Rsvp>({ per: 'key', initial: { coming: [] }, expires: '90d' })
