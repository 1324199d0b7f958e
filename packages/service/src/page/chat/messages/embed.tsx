import type { Message } from '@botwright/protocol'
import { safeLink } from '../../components/links.ts'
import { Markdown } from '../../components/markdown/markdown.tsx'
import { Picture } from '../../components/picture.tsx'
import { useTabStop } from '../../components/tab-stop.ts'
import { longTime } from '../../state/time.ts'

type EmbedData = Message['embeds'][number]
type Field = NonNullable<EmbedData['fields']>[number]

const cssColor = (color: string | number | undefined): string | undefined =>
  typeof color === 'number' ? `#${color.toString(16).padStart(6, '0')}` : color

/** Groups fields into rows: up to three inline fields per row, every other field on its own row (§2, Embed). */
function fieldRows(fields: readonly Field[]): Field[][] {
  const rows: Field[][] = []
  for (const field of fields) {
    const last = rows.at(-1)
    if (field.inline === true && last?.[0]?.inline === true && last.length < 3) last.push(field)
    else rows.push([field])
  }
  return rows
}

function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <div class="embed-fields">
      {fieldRows(fields).map((row, r) => (
        <div key={r} class={row[0]?.inline === true ? 'embed-row embed-row-inline' : 'embed-row'}>
          {row.map((field, f) => (
            <div key={f} class="embed-field">
              <div class="embed-field-name" dir="auto">
                <Markdown text={field.name} inline />
              </div>
              <Markdown text={field.value} />
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

function Footer({ embed }: { embed: EmbedData }) {
  const { footer, timestamp } = embed
  if (!footer && timestamp === undefined) return null
  return (
    <div class="embed-footer">
      {footer?.icon_url !== undefined && <Picture class="embed-icon" url={footer.icon_url} alt="" />}
      {footer && <span dir="auto">{footer.text}</span>}
      {footer && timestamp !== undefined && <span aria-hidden="true">·</span>}
      {timestamp !== undefined && <time dateTime={timestamp}>{longTime(timestamp)}</time>}
    </div>
  )
}

/** The direction of the first letter that has one. */
const directionOf = (texts: (string | undefined)[]): 'ltr' | 'rtl' => {
  const first = /\p{L}/u.exec(texts.join(' '))?.[0] ?? ''
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(first)
    ? 'rtl'
    : 'ltr'
}

/** An embed (§2, Embed). Its parts are arranged in the direction of its words. */
export function Embed({ embed }: { embed: EmbedData }) {
  const { author, title, url, description, fields, thumbnail, image } = embed
  const color = cssColor(embed.color)
  const link = safeLink(url)
  const tabIndex = useTabStop()
  return (
    <article
      class="embed"
      aria-label={title ?? author?.name ?? 'Embed'}
      dir={directionOf([title, description, author?.name])}
      style={color ? { borderInlineStartColor: color } : {}}
    >
      <div class="embed-main">
        <div class="embed-text">
          {author && (
            <div class="embed-author">
              {author.icon_url !== undefined && <Picture class="embed-icon" url={author.icon_url} alt="" />}
              <span dir="auto">{author.name}</span>
            </div>
          )}
          {title !== undefined && (
            <div class="embed-title" dir="auto">
              {link === undefined ? (
                <Markdown text={title} inline />
              ) : (
                <a href={link} target="_blank" rel="noopener noreferrer nofollow" tabIndex={tabIndex}>
                  {title}
                </a>
              )}
            </div>
          )}
          {description !== undefined && <Markdown text={description} />}
        </div>
        {thumbnail && <Picture class="embed-thumbnail" url={thumbnail.url} alt="" />}
      </div>
      {fields && fields.length > 0 && <Fields fields={fields} />}
      {image && <Picture class="embed-image" url={image.url} alt={title ?? ''} />}
      <Footer embed={embed} />
    </article>
  )
}
