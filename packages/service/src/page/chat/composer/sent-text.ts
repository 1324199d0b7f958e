import { replaceNames } from '../../components/emoji.ts'
import { whilePersonStays } from '../../state/api.ts'
import { toWire } from '../../state/names.ts'

/**
 * Converts typed text to the content of a message: emoji for their names, ids for names of people and channels. Rejects with `PersonLeft`
 * if the person leaves the window while the emoji are loaded: the next one must not send it.
 */
export const sentText = async (typed: string): Promise<string> =>
  toWire(await whilePersonStays(replaceNames(typed.trim())))
