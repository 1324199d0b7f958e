import { resource } from '@botwright/framework'

/** A database that the simulation takes away for a while. Each simulated instance has its own. */
export const openDatabase = () =>
  resource({
    open: () => {
      if ((globalThis as { simulatedDatabase?: { isDown: boolean } }).simulatedDatabase?.isDown)
        throw new Error('the database is down')
      return {}
    },
  })

export default openDatabase()
