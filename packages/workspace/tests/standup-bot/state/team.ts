import { state } from '@botwright/framework'

/** Who is asked in a server. */
export default state({ scope: 'server', initial: [] as string[] })
