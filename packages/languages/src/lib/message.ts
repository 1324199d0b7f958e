import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'

/** A text of a language: an ICU message, as written and as parsed. */
export interface Message {
  text: string
  parts: readonly MessageFormatElement[]
}

/** The kind of value that an argument of a message takes. */
export type ArgumentKind = 'text' | 'number' | 'date' | 'choice'

const FAULTS: Readonly<Record<string, string>> = {
  EXPECT_ARGUMENT_CLOSING_BRACE: 'a "{" has no "}"; quote a brace that is text: \'{\'',
  UNMATCHED_CLOSING_BRACE: 'a "}" has no "{"; quote a brace that is text: \'}\'',
  EMPTY_ARGUMENT: '"{}" has no name; write {name}',
  MALFORMED_ARGUMENT: 'an argument is not {name}, {name, number}, {name, date}, {name, plural, …} or {name, select, …}',
  INVALID_ARGUMENT_TYPE: 'the type of an argument is not number, date, time, plural, selectordinal or select',
  MISSING_OTHER_CLAUSE: 'it has no form for all other values; add other {…}',
  DUPLICATE_PLURAL_ARGUMENT_SELECTOR: 'a plural form is there twice; remove one',
  DUPLICATE_SELECT_ARGUMENT_SELECTOR: 'a choice is there twice; remove one',
  EXPECT_PLURAL_ARGUMENT_SELECTOR_FRAGMENT: 'the text of a plural form is not in braces; write other {…}',
  EXPECT_SELECT_ARGUMENT_SELECTOR_FRAGMENT: 'the text of a choice is not in braces; write other {…}',
}

/** Parses an ICU message. Returns what is wrong with it, and where, if it cannot be parsed. */
export function parseMessage(text: string): Message | { fault: string } {
  try {
    // Mentions such as <@id> are text, not tags.
    return { text, parts: parse(text, { ignoreTag: true }) }
  } catch (error) {
    const { message, location } = error as Error & { location?: { start: { offset: number } } }
    const at = location === undefined ? '' : ` at character ${location.start.offset + 1}`
    return { fault: `is not an ICU message${at}: ${FAULTS[message] ?? message.toLowerCase().replaceAll('_', ' ')}` }
  }
}

/** Every part of a message, also those inside of plural forms and choices. */
function* allParts(parts: readonly MessageFormatElement[]): Generator<MessageFormatElement> {
  for (const part of parts) {
    yield part
    if (part.type === TYPE.plural || part.type === TYPE.select)
      for (const { value } of Object.values(part.options)) yield* allParts(value)
  }
}

/** The arguments of a message, sorted by name. A name that is used as several kinds has the most specific one. */
export function argumentsOf({ parts }: Message): Map<string, ArgumentKind> {
  const kinds = new Map<string, ArgumentKind>()
  for (const part of allParts(parts)) {
    if (part.type === TYPE.argument) kinds.set(part.value, kinds.get(part.value) ?? 'text')
    else if (part.type === TYPE.number || part.type === TYPE.plural) kinds.set(part.value, 'number')
    else if (part.type === TYPE.date || part.type === TYPE.time) kinds.set(part.value, 'date')
    else if (part.type === TYPE.select) kinds.set(part.value, 'choice')
  }
  return new Map([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The named styles of `{when, date, short}` and the like, with the type that each is used for. */
export function stylesOf({ parts }: Message): { type: 'number' | 'date' | 'time'; style: string }[] {
  return [...allParts(parts)].flatMap((part) => {
    if (part.type !== TYPE.number && part.type !== TYPE.date && part.type !== TYPE.time) return []
    const type = part.type === TYPE.number ? 'number' : part.type === TYPE.date ? 'date' : 'time'
    return typeof part.style === 'string' ? [{ type, style: part.style } as const] : []
  })
}

/** The plural forms that the language distinguishes, and that an argument of the message does not have. */
export function missingForms({ parts }: Message, language: string): { argument: string; forms: string[] }[] {
  return [...allParts(parts)].flatMap((part) => {
    if (part.type !== TYPE.plural) return []
    const rules = new Intl.PluralRules(language, { type: part.pluralType ?? 'cardinal' })
    const forms = rules.resolvedOptions().pluralCategories.filter((form) => !(form in part.options))
    return forms.length === 0 ? [] : [{ argument: part.value, forms }]
  })
}
