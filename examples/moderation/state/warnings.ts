import { state } from '@botwright/framework'

/** Why a member was warned. All are forgotten 30 days after the last one. */
export default state({ scope: 'member', initial: [] as string[], expires: '30d' })
