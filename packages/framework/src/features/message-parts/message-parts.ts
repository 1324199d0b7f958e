import type { ActionRow, Button, Embed } from '@botwright/protocol/shapes'
import {
  BotwrightError,
  characters,
  colorRule,
  cut,
  isColor,
  isLink,
  isTime,
  limits,
  linkRule,
  ownLimits,
  timeRule,
} from '@botwright/protocol/facts'

const MAX_BUTTONS = limits.button_rows.buttons

/** More than five literal buttons do not compile; a list is checked at run time. */
type UpToFive<B extends readonly Button[]> = B extends readonly [
  Button,
  Button,
  Button,
  Button,
  Button,
  Button,
  ...Button[],
]
  ? readonly 'a row has at most 5 buttons: start another row(…)'[]
  : B

/** A row of buttons (§2: up to 5; a message can have 5 rows). Throws `ERR_INVALID_REQUEST` for rows that the service would reject. */
export function row<const B extends readonly Button[]>(...components: UpToFive<B> & B): ActionRow {
  const all: readonly Button[] = components
  if (all.length === 0) throw refused('row: has no button; remove the row')
  if (all.length > MAX_BUTTONS)
    throw refused(
      `row: has ${all.length} buttons; the limit is ${MAX_BUTTONS} (interface §8); split them into several rows`,
    )
  const ids = new Set<string>()
  for (const { custom_id } of all) {
    if (custom_id === undefined) continue
    if (ids.has(custom_id))
      throw refused(
        `row: two buttons have the custom_id "${custom_id}", which must be unique within a message (interface §2); give them different parameters`,
      )
    ids.add(custom_id)
  }
  return { type: 'row', components: [...all] }
}

/** A card (§2, Embed): a literal color is checked by the compiler. */
export type Card = Omit<Embed, 'color'> & { color?: `#${string}` | number }

/**
 * A card of a message (§2, Embed). The service truncates long texts and drops fields after the tenth. Cards that it would reject are rejected
 * here with `ERR_INVALID_REQUEST`, naming the field: an invalid color, time or link, or more than the 6000 characters of a whole message.
 */
export function embed(card: Card): Embed {
  const wrong = cardProblem(card)
  if (wrong !== undefined) throw refused(`embed: ${wrong} (interface §2)`)
  const { embed_total, embed_title, embed_description, embed_fields } = limits
  const parts: [string, string | undefined][] = [
    ['title', card.title === undefined ? undefined : cut(card.title, embed_title.characters)],
    ['description', card.description === undefined ? undefined : cut(card.description, embed_description.characters)],
    ['author.name', card.author?.name],
    ['footer.text', card.footer?.text],
  ]
  for (const [i, field] of (card.fields ?? []).slice(0, embed_fields.bot).entries())
    parts.push([`fields[${i}].name`, field.name], [`fields[${i}].value`, field.value])
  let total = 0
  let longest = { name: '', length: 0 }
  for (const [name, text] of parts) {
    const length = text === undefined ? 0 : characters(text)
    total += length
    if (length > longest.length) longest = { name, length }
  }
  if (total > embed_total.characters)
    throw refused(
      `embed: has ${total} characters; the limit for all embeds of a message is ${embed_total.characters} (interface §8); ` +
        `shorten ${longest.name}, which has ${longest.length}`,
    )
  return card
}

function cardProblem({ color, timestamp, url, author, thumbnail, image, footer }: Card): string | undefined {
  if (color !== undefined && !isColor(color)) return `color ${colorRule}`
  if (timestamp !== undefined && !isTime(timestamp)) return `timestamp ${timeRule}`
  const links = {
    url,
    'author.icon_url': author?.icon_url,
    'thumbnail.url': thumbnail?.url,
    'image.url': image?.url,
    'footer.icon_url': footer?.icon_url,
  }
  for (const [field, link] of Object.entries(links))
    if (link !== undefined && (characters(link) > ownLimits.url.characters || !isLink(link)))
      return `${field} ${linkRule} of at most ${ownLimits.url.characters} characters`
  return undefined
}

const refused = (fact: string) => new BotwrightError('ERR_INVALID_REQUEST', fact)
