import { state } from '@botwright/framework'

/** The reasons for a member's warnings. All expire 30 days after the last one. */
export default state({ scope: 'member', initial: [] as string[], expires: '30d' })
