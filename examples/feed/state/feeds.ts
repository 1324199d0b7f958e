import { state } from '@botwright/framework'

/** The feeds by their names: each has the secret URL of a channel webhook. */
export default state<Record<string, string>, 'bot'>({ scope: 'bot', initial: {} })
