import { expect, test } from 'vitest'
import { Pages } from './pages.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/large' } as const

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const pieces = [
  'word ',
  '**bold text** ',
  '`code` ',
  '[link](https://example.com/a) ',
  '~~no~~ ',
  '🎉',
  '\n',
  '\n\n',
  '- item\n',
  '```ts\n',
  '```\n',
  '~~~\n',
  'x'.repeat(300),
  ' '.repeat(30),
]

function textOf(random: () => number): string {
  let text = ''
  const length = random() * 9000
  while (text.length < length) text += pieces[Math.floor(random() * pieces.length)]
  return text
}

test('all parts together are the text, and each message fits', inAll, () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomOf(seed)
    const text = textOf(random)
    const pages = new Pages(2)
    let full: readonly string[] = []
    for (let at = 0; at < text.length;) {
      const size = 1 + Math.floor(random() * 200)
      pages.add(text.slice(at, at + size))
      at += size
      const contents = pages.all(' ▍').map(({ content }) => content)
      for (const content of contents) expect(content.length, `seed ${seed}`).toBeLessThanOrEqual(2000)
      // Full messages stay as they are.
      expect(contents.slice(0, full.length), `seed ${seed}`).toEqual(full)
      full = contents.slice(0, -1)
    }
    const parts = pages.all().map(({ part }) => part)
    if (parts.every((part) => part.trim() !== '') && text.trim() !== '')
      expect(parts.join('').trimEnd(), `seed ${seed}`).toBe(text.trimEnd())
    for (const part of parts) expect(part, `seed ${seed}`).not.toMatch(/[\ud800-\udbff]$/)
  }
})

test('every code block is closed in its message', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed)
    const block = () => `\`\`\`js\n${'let a\n'.repeat(random() * 400)}\`\`\`\n`
    const text = Array.from({ length: 6 }, () => `${'some words '.repeat(random() * 200)}\n${block()}`).join('')
    const pages = new Pages(2)
    pages.add(text.slice(0, text.length * random()))
    for (const { content } of pages.all(' ▍'))
      expect(content.split('\n').filter((line) => line.startsWith('```')).length % 2, `seed ${seed}`).toBe(0)
  }
})

test('the cuts depend on the text alone', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const text = textOf(randomOf(seed))
    const [whole, slow] = [new Pages(), new Pages()]
    whole.add(text)
    for (const character of text) slow.add(character)
    expect(slow.all()).toEqual(whole.all())
  }
})

test.each([
  ['between paragraphs', `${'a'.repeat(1500)}\n\n${'b'.repeat(300)} c\n${'d'.repeat(900)}`, 1502],
  ['between lines', `${'a '.repeat(600)}\n${'b '.repeat(600)}`, 1201],
  ['not within bold text', `${'a '.repeat(900)}**${'b '.repeat(300)}**`, 1800],
  ['not within emphasis', `${'a '.repeat(900)}*${'b '.repeat(300)}*`, 1800],
  ['not within bold text of a list item', `* ${'a '.repeat(900)}**${'b '.repeat(300)}**`, 1802],
  ['not within a link', `${'a '.repeat(900)}[${'b '.repeat(80)}](https://example.com/${'c'.repeat(300)})`, 1800],
  ['anywhere in a long word', 'x'.repeat(3000), 1996],
])('cuts %s', (_, text, at) => {
  const pages = new Pages()
  pages.add(text)
  expect(pages.all()[0]!.part.length).toBe(at)
})

test('a code block that continues is closed and opened again with its language', () => {
  const pages = new Pages()
  pages.add(`Look:\n\`\`\`ts\n${'const a = 1\n'.repeat(300)}\`\`\`\nDone.`)
  const contents = pages.all().map(({ content }) => content)
  expect(contents).toHaveLength(2)
  expect(contents[0]).toMatch(/^Look:\n```ts\n(?:const a = 1\n)+```$/)
  expect(contents[1]).toMatch(/^```ts\n(?:const a = 1\n)+```\nDone\.$/)
})

test('a text without visible characters has no message', () => {
  const pages = new Pages()
  pages.add(' \n\n ')
  expect(pages.all(' ▍')).toEqual([])
})

/** The last message of a text that goes on. */
function growing(text: string): string {
  const pages = new Pages()
  pages.add(text)
  return pages.all(' ▍').at(-1)!.content
}

test.each([
  ['`code` and more', '`code` and more ▍'],
  ['``a ` b`` and more', '``a ` b`` and more ▍'],
  ['`code and more', '`code and more` ▍'],
  ['[link](https://example.com) and more', '[link](https://example.com) and more ▍'],
  ['[label] and **more', '[label] and **more** ▍'],
  ['[label and **more', ' ▍'],
])('%s, which goes on, is %s', (text, shown) => {
  expect(growing(text)).toBe(shown)
})

test('a line of separate marks is a rule, not a list', () => {
  const pages = new Pages()
  pages.add('* * *\n  ```ts\n  a = 1\n')
  expect(pages.all()[0]!.content).toBe('* * *\n  ```ts\n  a = 1\n```')
})
