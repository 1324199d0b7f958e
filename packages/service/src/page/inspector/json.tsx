import { nameOfId } from '../state/names.ts'
import { CopyButton } from '../forms/secret.tsx'

type Token = { text: string; kind: 'key' | 'string' | 'number' | 'word' | 'plain' }

const pattern = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(true|false|null)/gi

/** Splits JSON into tokens for highlighting. */
function tokens(json: string): Token[] {
  const found: Token[] = []
  let last = 0
  for (const match of json.matchAll(pattern)) {
    if (match.index > last) found.push({ text: json.slice(last, match.index), kind: 'plain' })
    const [whole, quoted, colon, number] = match
    const kind =
      quoted !== undefined ? (colon !== undefined ? 'key' : 'string') : number !== undefined ? 'number' : 'word'
    found.push({ text: whole, kind })
    last = match.index + whole.length
  }
  found.push({ text: json.slice(last), kind: 'plain' })
  return found
}

/** Indents JSON; truncated JSON is returned unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The name of the channel, server or user whose id this string is: the style sheet shows it after the id, and copying leaves it out. */
const nameIn = (quoted: string): string | undefined =>
  quoted.length === quotedIdLength ? nameOfId(quoted.slice(1, -1)) : undefined
const quotedIdLength = 38

export function Json({ label, text }: { label: string; text: string }) {
  const shown = indented(text)
  return (
    <figure class="json">
      <figcaption>
        {label} <CopyButton text={shown} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        {tokens(shown).map(({ text: part, kind }, index) => (
          <span key={index} class={`json-${kind}`} data-name={kind === 'string' ? nameIn(part) : undefined}>
            {part}
          </span>
        ))}
      </pre>
    </figure>
  )
}
