import { state } from '@botwright/framework'

/** The people whom the bot asks in a server. */
export default state({ scope: 'server', initial: [] as string[] })
