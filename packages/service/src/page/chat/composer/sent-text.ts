import { replaceNames } from '../../components/emoji.ts'
import { toWire } from '../../state/names.ts'

/** Converts typed text to the content of a message: emoji for their names, ids for names of people and channels. */
export const sentText = async (typed: string): Promise<string> => toWire(await replaceNames(typed.trim()))
