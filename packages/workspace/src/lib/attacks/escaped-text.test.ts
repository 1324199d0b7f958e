import { fileURLToPath } from 'node:url'
import { escape } from '@botwright/framework'
import { characters } from '@botwright/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'

interface Token {
  type: string
  content: string
  children: Token[] | null
}
// No entry of the package exports the parser, so it is loaded by its path.
const parserFile = fileURLToPath(new URL('../../../../service/src/lib/markdown/parser.ts', import.meta.url))
const { parse } = (await import(parserFile)) as { parse(text: string): Token[] }
/** The text of a message as the service's page shows it. Names any element other than text and paragraphs. */
function shown(content: string): string {
  const words = (tokens: readonly Token[]): string =>
    tokens
      .map((token) => {
        if (token.type === 'inline') return words(token.children ?? [])
        if (token.type === 'softbreak' || token.type === 'hardbreak' || token.type === 'paragraph_close') return '\n'
        if (token.type === 'text' || token.type === 'text_special') return token.content
        return token.type === 'paragraph_open' ? '' : `{${token.type}}`
      })
      .join('')
  return words(parse(content)).trimEnd()
}
/** A paragraph drops blank lines and trailing spaces. */
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')

const id = '0b7c1f3e-8a56-4c8e-9f0e-2f6f3f9c1d11'
const hostile = [
  `hi <@${id}> and <#${id}> <@&${id}>`,
  '@everyone and @here',
  '**bold** __b__ *i* _i_ ~~s~~ `code` ``x`` ***',
  '```js\nalert(1)\n```',
  '~~~\nx\n~~~',
  '[click](https://evil.example) ![x](https://evil.example/x.png) <https://evil.example>',
  'https://evil.example/a_b www.evil.example evil.com a@evil.com mailto:a@evil.com //evil.com',
  '# heading\n## two\n> quote\n- list\n+ list\n* list\n1. one\n2) two\n---\n===\n***',
  '  - indented\n    code\n\tcode\n\n    code',
  '\\*not\\* \\ &amp; &lt; &#64; | a | b |\n|---|---|',
  'a\\\nb',
]

test.each(hostile)('shows %j literally', (text) => {
  expect(lines(shown(escape(text)))).toBe(lines(text))
})

test('shows a number in the last line literally, whatever follows it', () => {
  for (const text of ['a\n\n1', 'a\n12', '\n\n123456789'])
    for (const after of [')', '.', ') b', '. b']) expect(lines(shown(escape(text) + after))).toBe(lines(text + after))
})

test('leaves no mention that a service could find in the text', () => {
  for (const text of hostile) expect(escape(text)).not.toMatch(/<[@#]|@everyone|@here/)
})

test('shows random texts of special characters literally, between other text too', () => {
  const unit = fc.constantFrom(...'\\`*_~[]()<>&|@#+-=.:!/ab1 \n\t', 'http://', '@everyone', `<@${id}>`, '    ')
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
      const text = units.join('')
      expect(lines(shown(escape(text)))).toBe(lines(text))
      expect(lines(shown(`(${escape(text)})`))).toBe(lines(`(${text})`))
    }),
    { numRuns: 2000 },
  )
})

test('stays within the maximum and never cuts an escape', () => {
  const text = '*😀@everyone '.repeat(300)
  for (const max of [1, 2, 10, 11, 12, 500, 2000]) {
    const escaped = escape(text, { max })
    expect(characters(escaped)).toBeLessThanOrEqual(max)
    const start = shown(escaped).slice(0, -1)
    expect(text.startsWith(start)).toBe(true)
    expect(escaped.endsWith('…')).toBe(true)
  }
  expect(characters(escape(text, { max: 2000 }))).toBeGreaterThan(1980)
  expect(escape('short', { max: 5 })).toBe('short')
})
