import { CopyButton } from '../settings/secret.tsx'

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

export function Json({ label, text }: { label: string; text: string }) {
  const shown = indented(text)
  return (
    <figure class="json">
      <figcaption>
        {label} <CopyButton text={shown} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        {tokens(shown).map(({ text: part, kind }, index) => (
          <span key={index} class={`json-${kind}`}>
            {part}
          </span>
        ))}
      </pre>
    </figure>
  )
}
