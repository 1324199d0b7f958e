import { describe, expect, test } from 'vitest'
import { markMutants } from './mark-mutants.ts'
import { apply, mutantsOf, parses } from './mutants-of.ts'
import { sample } from './sample.ts'

const changes = (text: string) =>
  mutantsOf('a.ts', text).map(({ original, replacement }) => `${original} → ${replacement}`)

describe('mutants of a source', () => {
  test.each([
    [
      'if (a < 2) b()',
      ['a < 2 → true', 'a < 2 → false', 'a < 2 → (a <= 2)', 'a < 2 → (a >= 2)', '2 → 3', '2 → 1', 'b() → ;'],
    ],
    ['f(a ?? b)', ['f(a ?? b) → ;', 'a ?? b → a', 'a ?? b → b']],
    ['const x = a && !b', ['a && !b → (a || !b)', '!b → b']],
    [
      'const x = a.some(f) ? [1] : []',
      [
        'a.some(f) → !(a.some(f))',
        'a.some(f) → true',
        'a.some(f) → false',
        'some → every',
        '[1] → []',
        '1 → 2',
        '1 → 0',
      ],
    ],
    ['const f = async () => await a?.b()', ['await a?.b() → undefined', 'await a?.b() → a?.b()', '?. → .']],
    [
      'function f() { n += 1; return true }',
      ['{ n += 1; return true } → {}', 'n += 1; → ;', '+= → -=', '1 → 2', '1 → 0', 'true → false'],
    ],
    ["const [a] = ['x', '']", ["['x', ''] → []", "'x' → ''", "'' → 'x'"]],
    ['const a: 1 | 2 = -1', ['-1 → 1', '1 → 2', '1 → 0']],
    ['x++', ['x++ → ;', 'x++ → x--']],
  ])('%s', (text, expected) => {
    expect(changes(text)).toEqual(expected)
  })

  test('halves and doubles times, and does not change types, imports, names and texts for people', () => {
    expect(changes('const PAUSE_MS = 10 * 1000')).toEqual([
      '10 * 1000 → (10 / 1000)',
      '10 → 20',
      '10 → 5',
      '1000 → 2000',
      '1000 → 500',
    ])
    expect(changes("import { a } from 'x'\ninterface A { b: 'c' }\ntype B = 'd' | 1\nexport * from 'y'")).toEqual([])
    expect(changes("const a = { 'b': `a text with ${1 + 1} numbers` }\ndeclare const c: 1")).toEqual([])
  })

  test('each has the line and the range of its change', () => {
    const text = 'const a = 1\nconst b = a * 2\n'
    const [, , product] = mutantsOf('a.ts', text)
    expect(product).toMatchObject({ file: 'a.ts', line: 2, original: 'a * 2' })
    expect(apply(text, product!)).toBe('const a = 1\nconst b = (a / 2)\n')
  })

  test('recognizes a change that does not parse', () => {
    expect(parses('a.ts', 'const a: number = 1')).toBe(true)
    expect(parses('a.ts', 'const a = (1')).toBe(false)
  })
})

describe('the sample', () => {
  const text = Array.from({ length: 50 }, (_, n) => `export const a${n} = ${n} * b`).join('\n')
  const all = mutantsOf('a.ts', text)
  const lines = (chosen: typeof all) => chosen.map(({ original, replacement }) => original + replacement)

  test('depends on the seed, but not on the order, on the lines or on other files', () => {
    const chosen = lines(sample(all, 10, 7, () => true))
    expect(new Set(chosen).size).toBe(10)
    expect(lines(sample(all, 10, 8, () => true))).not.toEqual(chosen)
    expect(lines(sample(mutantsOf('a.ts', `\n\n${text}`).toReversed(), 10, 7, () => true))).toEqual(chosen)
    const more = sample([...mutantsOf('b.ts', 'const c = d && e'), ...all], 11, 7, () => true)
    expect(lines(more.filter(({ file }) => file === 'a.ts')).slice(0, 10)).toEqual(chosen)
  })

  test('skips invalid mutants', () => {
    const chosen = sample(all, 10, 7, ({ replacement }) => replacement.includes('/'))
    expect(chosen).toHaveLength(10)
    expect(chosen.every(({ replacement }) => replacement.includes('/'))).toBe(true)
  })
})

test('marks the block, the arrow function or the file around a mutant', () => {
  const text = 'export const a = 1\nexport function f(b: boolean) { if (b) { g(2) } }\nexport const h = () => a + 3\n'
  const find = (original: string) => mutantsOf('a.ts', text).find((one) => one.original === original)!
  const mutants = new Map([find('1'), find('b'), find('2'), find('a + 3')].entries())
  expect(markMutants('a.ts', text, mutants, 'mark')).toBe(
    'export const a = 1\nexport function f(b: boolean) {mark(1); if (b) {mark(2); g(2) } }\nexport const h = () => (mark(3),a + 3)\n\n;mark(0);',
  )
})
