import { fileURLToPath } from 'node:url'
import { characters, MessageCreate } from '@botwright/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/large' } as const

interface Token {
  type: string
  content: string
  meta: { sign: string; id: string } | null
  children: Token[] | null
  attrGet(name: string): string | null
}
// No entry of a package exports these files, so they are loaded by their paths.
const load = (path: string): Promise<unknown> => import(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)))
const { parse } = (await load('service/src/lib/markdown/parser.ts')) as { parse(text: string): Token[] }
const { parseJson } = (await load('service/src/lib/http/json-text.ts')) as { parseJson: (json: string) => unknown }
const { Pages } = (await load('framework/src/features/streams/pages.ts')) as {
  Pages: new (reserved?: number) => { add(text: string): void; all(mark?: string): readonly { content: string }[] }
}

const MARK = ' ▍'

/** Messages on the service's page: their text without spaces, their links and the number of their code blocks. */
function shown(contents: readonly string[]) {
  const links: string[] = []
  let blocks = 0
  const words = (tokens: readonly Token[]): string =>
    tokens
      .map((token) => {
        if (token.type === 'inline') return words(token.children ?? [])
        if (token.type === 'fence' || token.type === 'code_block') blocks++
        if (token.type === 'link_open') links.push(token.attrGet('href') ?? '')
        return token.meta ? `<${token.meta.sign}${token.meta.id}>` : token.type === 'hr' ? '―' : token.content
      })
      .join('')
  const text = contents.map((content) => words(parse(content))).join('')
  return { text: text.replaceAll(/\s/g, '').replaceAll(MARK.trim(), ''), links, blocks }
}

/** Refuses what the service refuses (§4). */
function post(content: string): string {
  const body = MessageCreate.parse(parseJson(JSON.stringify({ content })))
  expect(characters(content)).toBeLessThanOrEqual(2000)
  expect(body.content).toBe(content)
  return content
}

/** The contents of the messages each time after a part was added, and at the end. */
function stream(parts: readonly string[]) {
  const pages = new Pages(MARK.length)
  const growing = parts.map((part) => {
    pages.add(part)
    return pages.all(MARK).map(({ content }) => post(content))
  })
  return { growing, whole: pages.all().map(({ content }) => post(content)) }
}

/** A text in parts that end at these places, which are fractions of its length. */
function cutAt(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => Math.floor(place * text.length)).toSorted((a, b) => a - b), text.length]
  return at.slice(1).map((end, i) => text.slice(at[i], end))
}
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 })

const id = '0b7c1f3e-8a56-4c8e-9f0e-2f6f3f9c1d11'
const inline = fc.constantFrom(
  ...[
    'word',
    'a longer word,',
    'snake_case_name',
    '5 * 3',
    'arr[0] = 1;',
    '- 7',
    'e.g.',
    'AT&T',
    '(see below)',
    '日本語です。',
  ],
  ...['**bold text**', '*emphasis*', '_emphasis too_', '***both***', '**bold with `code`**', '~~gone~~', '**a *b* c**'],
  ...[
    '`code`',
    '`` a ` b ``',
    '[link](https://example.com/a_b?c=d)',
    '[**bold** link](<https://example.com/e> "A title")',
  ],
  ...['https://example.com/path.html', 'www.example.com', 'ann@example.com', '<https://example.com/f>', `<@${id}>`],
  ...[
    `**<#${id}>**`,
    '🎉',
    '👩‍👩‍👧',
    '🇩🇪',
    '👍🏽',
    '&amp;',
    '\\*not bold\\*',
    '[link (with parens)](https://example.com/g_(h))',
  ],
)
const line = fc.array(inline, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))
const paragraph = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))
const codeBlock = fc
  .record({
    marks: fc.constantFrom('```', '````', '~~~', '~~~~~'),
    language: fc.constantFrom('', 'ts', 'c++'),
    lines: fc.array(
      fc.constantFrom('let a = `b`', '', '  deeper **x', '    deepest', '[x](', '> quoted', '- no item'),
      {
        maxLength: 60,
      },
    ),
    inner: fc.boolean(),
  })
  .map(({ marks, language, lines, inner }) => {
    // Shorter marks, and those of the other kind, do not close a block.
    const other = marks === '````' ? '```' : marks.startsWith('~') ? '```' : '~~~'
    return [marks + language, ...(inner ? [other, 'let b', other] : []), ...lines, marks].join('\n')
  })
const heading = line.map((text) => `## ${text}`)
const block = fc.oneof(paragraph, codeBlock, heading, fc.constant('---'))
const indented = (text: string, first: string, next: string) =>
  text.split('\n').map((each, i) => (i === 0 ? first + each : each === '' ? each : next + each))
const inContainer = fc
  .tuple(
    fc.array(block, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('- ', '1. ', '10. ', '* ', '> ', '> - ', '- > ', '- - '),
  )
  .map(([blocks, first]) => {
    const next = first.replaceAll(/[^>]/g, ' ')
    const lines = indented(blocks.join('\n\n'), first, next)
    return lines.map((each) => (each === '' ? next.trimEnd() : each)).join('\n')
  })
const text = fc.array(fc.oneof(block, inContainer), { minLength: 1, maxLength: 8 }).map((blocks) => blocks.join('\n\n'))

test(
  'a text cut anywhere ends as the same messages, and each state of them shows a beginning of the end without a half construct',
  slow,
  () => {
    fc.assert(
      fc.property(text, places, (whole, ends) => {
        const streamed = stream(cutAt(whole, ends))
        expect(streamed.whole).toEqual(stream([whole]).whole)
        const end = shown(streamed.whole)
        for (const contents of streamed.growing) {
          const state = shown(contents)
          if (!end.text.startsWith(state.text))
            expect(contents.join('\n=====\n')).toBe(streamed.whole.join('\n=====\n'))
          expect(end.links).toEqual(expect.arrayContaining(state.links))
          expect(state.blocks, contents.join('\n=====\n')).toBeLessThanOrEqual(end.blocks)
        }
      }),
      { numRuns: 200 },
    )
  },
)

test.each([
  ['an emoji', 'Done 🎉', 6, 'Done  ▍'],
  ['a flag', 'in 🇩🇪', 5, 'in  ▍'],
  ['a block of four backticks', '````md\n```ts\nlet a', 100, '````md\n```ts\nlet a ▍\n````'],
  ['a block of tildes', '~~~\nlet a', 100, '~~~\nlet a ▍\n~~~'],
  ['a block in a list', '10. Run\n\n    ```sh\n    npm', 100, '10. Run\n\n    ```sh\n    npm ▍\n    ```'],
  ['a block in a quote', '> ~~~\n> let a\n', 100, '> ~~~\n> let a\n>  ▍\n> ~~~'],
  ['the end of a block', '```\nlet a\n``', 100, '```\nlet a\n ▍\n```'],
  ['a link', 'See [the **docs**](https://exam', 100, 'See  ▍'],
  ['an address', 'See https://example.co', 100, 'See  ▍'],
  ['a mention', `Hello <@${id}>`, 20, 'Hello  ▍'],
  ['emphasis', '**bold *and', 100, '**bold *and*** ▍'],
  ['code', 'Run `npm install', 100, 'Run `npm install` ▍'],
])('leaves out or closes %s that has only begun', (_, whole, end, content) => {
  expect(stream([whole.slice(0, end)]).growing).toEqual([[content]])
})

test('a list that goes on in a new message is neither code nor broken', () => {
  const { whole } = stream([
    `1. first\n   - ${'word '.repeat(394)}\n   - second\n     ~~~~\n     let a\n${'     let b\n'.repeat(300)}`,
  ])
  expect(whole[1]).toMatch(/^- second\n {2}~~~~\n {2}let a\n(?: {2}let b\n)+ {2}~~~~$/)
  expect(whole.at(-1)).toMatch(/^ *~~~~\n(?:let b\n)+~~~~$/)
})

test('NUL and half characters of a complete text become U+FFFD', () => {
  expect(stream(['a\0b\ud83d', 'c\udf89', '\ud83c']).whole).toEqual(['a\ufffdb\ufffdc\ufffd\ufffd'])
})

test('the service accepts every state of any text', () => {
  const unit = fc.constantFrom(
    ...'\\`*_~[]()<>&|@#+-=.:!/ab1 \n\t\0\u001b\ud83c\udf89\ud83d',
    ...['```', '~~~~', '    ', '\n\n', '- ', '> ', '10. ', 'https://', `<@${id}`, 'x'.repeat(900), '> '.repeat(80)],
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), places, (units, ends) => {
      const whole = units.join('')
      expect(stream(cutAt(whole, ends)).whole).toEqual(stream([whole]).whole)
    }),
    { numRuns: 300 },
  )
})
