import { formsOf, SHORTEST_SECRET } from './secret-forms.ts'
import { threadWide } from '../thread-wide.ts'

/** Secrets that come while the bot runs: the newest of them, and quick to look for however many there are. */
class LearnedSecrets {
  readonly #most: number
  /** In the order in which they came. */
  readonly #all = new Set<string>()
  readonly #byLength = new Map<number, Set<string>>()

  constructor(most: number) {
    this.#most = most
  }

  add(secret: string): void {
    // One that comes again is the newest again.
    this.#drop(secret)
    this.#all.add(secret)
    const { length } = secret
    const same = this.#byLength.get(length)
    if (same) same.add(secret)
    else this.#byLength.set(length, new Set([secret]))
    if (this.#all.size > this.#most) this.#drop(this.#all.values().next().value!)
  }

  #drop(secret: string): void {
    if (!this.#all.delete(secret)) return
    const same = this.#byLength.get(secret.length)!
    same.delete(secret)
    if (same.size === 0) this.#byLength.delete(secret.length)
  }

  hide(text: string, hidden: string): string {
    let clean = text
    for (const [length, secrets] of this.#byLength)
      for (let at = 0; at + length <= clean.length; at++)
        if (secrets.has(clean.slice(at, at + length))) clean = clean.slice(0, at) + hidden + clean.slice(at + length)
    return clean
  }
}

const { ofClicks, ofBots, told } = threadWide('learned secrets', () => ({
  // What a click brings is good for 15 minutes (§5).
  ofClicks: new LearnedSecrets(16_384),
  ofBots: new LearnedSecrets(1024),
  told: { forward: undefined as ((secret: string) => void) | undefined },
}))

/** A worker tells the supervisor, which writes the log, what it has learned. */
export const forwardSecrets = (to: (secret: string) => void): void => void (told.forward = to)

function learn(secret: unknown, into: LearnedSecrets): void {
  if (typeof secret !== 'string' || secret.length < SHORTEST_SECRET) return
  for (const form of formsOf(secret)) into.add(form)
}

/** From now on a text stands in no line that this process writes: a token, a secret, what a channel webhook's address ends with. */
export function hideFromNow(...secrets: readonly (string | undefined)[]): void {
  for (const secret of secrets) {
    learn(secret, ofBots)
    if (secret !== undefined) told.forward?.(secret)
  }
}

/** The same of the token of a click that has arrived. */
export function hideTokenOf(event: { type: string; data: Readonly<Record<string, unknown>> }): void {
  if (event.type === 'interaction') learn(event.data['token'], ofClicks)
}

export const hideLearned = (text: string, hidden: string): string => ofBots.hide(ofClicks.hide(text, hidden), hidden)
