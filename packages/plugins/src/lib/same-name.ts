import { sameEmoji } from '@botwright/framework'

/** Whether two names look the same: in either Unicode form of their letters, with or without the variation selectors of emoji. */
export const sameName = (a: string, b: string): boolean => sameEmoji(a.normalize('NFC'), b.normalize('NFC'))
