import { state } from '@botwright/framework'

/** Feeds by name, each with the secret URL of a channel webhook. */
export default state<Record<string, string>, 'bot'>({ scope: 'bot', initial: {} })
