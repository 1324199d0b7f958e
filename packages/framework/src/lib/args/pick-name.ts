import { didYouMean } from '../entry-name.ts'
import { misfit } from './arg.ts'

/** Somebody or something that a typed name may mean. */
export interface Found {
  id: string
  /** How it is told to the person who typed. */
  shown: string
  /** What it is called. */
  names: readonly (string | null | undefined)[]
  /** Names that are proposed for others that come near. */
  near: readonly string[]
}

const MOST_TOLD = 5

/** The id of the only one that is called so, whatever the case. Throws "must be …" with those that come near. */
export function pick(name: string, all: readonly Found[], what: string, fix: string): string {
  const wanted = fold(name)
  const same = all.filter(({ names }) => names.some((one) => typeof one === 'string' && fold(one) === wanted))
  const [only] = same
  if (only && same.length === 1) return only.id
  if (only) {
    const told = same.slice(0, MOST_TOLD).map(({ shown }) => shown)
    const more = same.length > MOST_TOLD ? ` and ${same.length - MOST_TOLD} more` : ''
    throw misfit(`must be one ${what}, and several are called so (${told.join(', ')}${more}); ${fix}`)
  }
  const names = all.flatMap(({ near }) => near)
  const nearest = didYouMean(wanted, names) ?? names.find((one) => wanted.length > 1 && fold(one).startsWith(wanted))
  const found = nearest === undefined ? undefined : all.find(({ near }) => near.includes(nearest))
  throw misfit(`must be a ${what}, and none is called so${found ? `; did you mean ${found.shown}?` : ''}`)
}

const fold = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

/** A name that mentions nobody when it is told. */
export const safeName = (name: string): string =>
  name.replace(/[<>@#`*_~|\\]/g, (sign) => (sign === '_' ? '_' : '')).slice(0, 40)
