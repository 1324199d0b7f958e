import { didYouMean } from '../entry-name.ts'
import { misfit } from './arg.ts'

/** Somebody or something that a typed name may mean. */
export interface Found {
  id: string
  /** What it is called. */
  names: readonly (string | null | undefined)[]
  /** The name that is proposed for one that comes near. */
  near: string
  /** How it is shown to the person who typed. */
  shown(): string
}

/** How the names of a book are spoken of: `what` is a `person`, and `fix` says what to type when several have one name. */
export interface Wording {
  what: string
  fix: string
}

const MOST_TOLD = 5

/** Everything of one kind in a server, by its names. A thousand names in one message are looked up in the same book. */
export class NameBook {
  readonly #all: readonly Found[]
  readonly #byName = new Map<string, Found[]>()
  readonly #wording: Wording
  #proposed = false

  constructor(all: readonly Found[], wording: Wording) {
    this.#all = all
    this.#wording = wording
    for (const found of all) {
      for (const name of new Set(found.names)) {
        if (typeof name === 'string') this.#add(fold(name), found)
      }
    }
  }

  #add(name: string, found: Found): void {
    const same = this.#byName.get(name)
    if (!same) this.#byName.set(name, [found])
    else if (same.at(-1) !== found) same.push(found)
  }

  /** The id of the only one that is called so, whatever the case. Throws "must be …" with those that come near. */
  pick(name: string): string {
    const { what, fix } = this.#wording
    const wanted = fold(name)
    const same = this.#byName.get(wanted) ?? []
    const [only] = same
    if (only && same.length === 1) return only.id
    if (only) {
      const told = same.slice(0, MOST_TOLD).map((one) => one.shown())
      const more = same.length > MOST_TOLD ? ` and ${same.length - MOST_TOLD} more` : ''
      throw misfit(`must be one ${what}, and several are called so (${told.join(', ')}${more}); ${fix}`)
    }
    const found = this.#nearest(wanted)
    throw misfit(`must be a ${what}, and none is called so${found ? `; did you mean ${found.shown()}?` : ''}`)
  }

  /** Of several names that are unknown only the first is reported, so a name near to it is looked for once. */
  #nearest(wanted: string): Found | undefined {
    if (this.#proposed) return undefined
    this.#proposed = true
    const names = this.#all.map(({ near }) => near)
    const nearest = didYouMean(wanted, names) ?? names.find((one) => wanted.length > 1 && fold(one).startsWith(wanted))
    return nearest === undefined ? undefined : this.#all.find(({ near }) => near === nearest)
  }
}

const fold = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

/** A name that mentions nobody when it is told. */
export const safeName = (name: string): string =>
  name.replace(/[<>@#`*_~|\\]/g, (sign) => (sign === '_' ? '_' : '')).slice(0, 40)
