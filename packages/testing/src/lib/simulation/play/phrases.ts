import type { Words } from '@botwright/framework'

/** A phrase of the framework in a text, with its own values. */
export interface FoundPhrase {
  text: string
  values: Readonly<Record<string, unknown>>
}

/** The phrases in a text, also those inside of others. */
export function phrasesIn(words: Words | undefined): FoundPhrase[] {
  if (words === undefined || typeof words === 'string') return []
  if (Array.isArray(words)) return (words as readonly Words[]).flatMap(phrasesIn)
  if ('rules' in words) return words.rules.flatMap(phrasesIn)
  if (!('text' in words)) return []
  const { text, values = {} } = words
  return [
    { text, values },
    ...Object.values(values).flatMap((value) => (typeof value === 'number' ? [] : phrasesIn(value))),
  ]
}
