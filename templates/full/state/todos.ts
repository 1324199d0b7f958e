import { state } from '@botwright/framework'

export interface Todo {
  id: number
  text: string
}

/** What is to be done in a channel. Kept in the bot's own database, over restarts. */
export default state({ scope: 'channel', initial: { last: 0, open: [] as Todo[] } })
