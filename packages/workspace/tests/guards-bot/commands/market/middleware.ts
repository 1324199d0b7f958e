import { cooldown, middleware } from '@botwright/framework'

/** One use of the whole market in a minute. */
export default middleware({ guards: [cooldown('1m', { uses: 2 })] })
