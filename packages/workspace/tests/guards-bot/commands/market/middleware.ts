import { cooldown, middleware } from '@botwright/framework'

/** One use of any market command per minute. */
export default middleware({ guards: [cooldown('1m', { uses: 2 })] })
