import { cut } from '@botwright/protocol/facts'
import { foldTyped } from '@botwright/protocol/typed-text'
import { didYouMean } from '../../author/did-you-mean.ts'
import { phrase } from '../../author/texts/phrase.ts'
import { misfit } from '../../author/args/arg.ts'

/** A person, channel or role that a typed name may match. */
export interface Found {
  id: string
  /** Its names. */
  names: readonly (string | null | undefined)[]
  /** The name to suggest for a similar input. */
  near: string
  /** How it is shown to the user. */
  shown(): string
}

/** The texts for an unknown name and for an ambiguous one. */
export interface Wording {
  unknown: 'name.no_person' | 'name.no_channel' | 'name.no_role'
  several: 'name.several_persons' | 'name.several_channels' | 'name.several_roles'
}

const MAX_SHOWN = 5

/** Everything of one kind in a server, by name. A thousand names in one message share the same lookup. */
export class NameIndex {
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

  /** The id of the only match, in any case. Throws "must be …" with similar names. */
  pick(name: string): string {
    const wanted = fold(name)
    const same = this.#byName.get(wanted) ?? []
    const [only] = same
    if (only && same.length === 1) return only.id
    if (only) {
      const shown = same
        .slice(0, MAX_SHOWN)
        .map((one) => one.shown())
        .join(', ')
      const more = same.length - MAX_SHOWN
      const names = more > 0 ? phrase('name.and_more', { names: shown, count: more }) : shown
      throw misfit(phrase(this.#wording.several, { names }))
    }
    const found = this.#nearest(wanted)
    const fact = phrase(this.#wording.unknown)
    throw misfit(found ? phrase('did_you_mean', { fact, near: found.shown() }) : fact)
  }

  /** Only the first of several unknown names is reported, so similar names are searched once. */
  #nearest(wanted: string): Found | undefined {
    if (this.#proposed) return undefined
    this.#proposed = true
    const names = this.#all.map(({ near }) => near)
    const nearest = didYouMean(wanted, names) ?? names.find((one) => wanted.length > 1 && fold(one).startsWith(wanted))
    return nearest === undefined ? undefined : this.#all.find(({ near }) => near === nearest)
  }
}

/** A name in the form in which typed names are compared. */
export const fold = (name: string): string => foldTyped(name.trim())

/** A name that mentions no user when it is shown. */
export const safeName = (name: string): string =>
  cut(
    name.replace(/[<>@#`*_~|\\]/g, (sign) => (sign === '_' ? '_' : '')),
    40,
  )
