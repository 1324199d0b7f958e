import { state } from '@botwright/framework'

export interface Todo {
  id: number
  text: string
}

/** The to-dos of a channel. Stored in the bot's database, so they survive restarts. */
export default state({ scope: 'channel', initial: { last: 0, open: [] as Todo[] } })
