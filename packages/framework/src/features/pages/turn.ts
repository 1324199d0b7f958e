import { digitsFor, packNumber, type Packing, type Param } from '../../author/params/packing.ts'
import { packUuid } from '../arguments/param-kinds.ts'

/** Where a click leads: the page, and the person who asked for it. */
export interface Turn {
  /** From 1. */
  page: number
  /** Undefined if anyone may turn the pages. */
  by?: string | undefined
}

export const MOST_PAGES = 64 ** 3 - 1
const PAGE_DIGITS = digitsFor(MOST_PAGES)

/** The parameter of a button that turns pages; undefined opens the first page. */
export function turnParam(isForAsker: boolean): Param<Turn | undefined> {
  const packing: Packing<Turn | undefined> = {
    signature: isForAsker ? 'turn,by' : 'turn',
    widest: PAGE_DIGITS + (isForAsker ? packUuid.widest : 0),
    isInternal: true,
    pack: (turn) => {
      // The button before the first page is disabled, and has a custom_id of its own.
      if (turn === undefined) return packNumber(MOST_PAGES, PAGE_DIGITS)
      return packNumber(turn.page, PAGE_DIGITS) + (turn.by === undefined ? '' : packUuid.pack(turn.by))
    },
    unpack: (from) => {
      const page = from.takeNumber(PAGE_DIGITS)
      if (page === MOST_PAGES) return undefined
      return isForAsker ? { page, by: packUuid.unpack(from) } : { page }
    },
  }
  return { packing }
}
