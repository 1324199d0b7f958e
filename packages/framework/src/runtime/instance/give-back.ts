import type { Log } from '../../author/ports.ts'

/** Gives back what was taken, the last first. What fails is told, and keeps nothing else from being given back. */
export async function giveBack(held: (() => void | Promise<void>)[], log: Log): Promise<void> {
  for (const back of held.splice(0).reverse())
    try {
      await back()
    } catch (error) {
      log.error({ err: error }, 'a part of the bot did not close; the others are closed anyway')
    }
}
