import { expect, test } from 'vitest'
import { declaredSource } from '../compile/package-import.ts'
import { declaredPlugins } from './plugin-package.ts'

const read = (botwright: unknown) => declaredPlugins(botwright, 'package.json')

test('reads one plugin or several, with the options and files that they offer', () => {
  const none = new Map()
  expect(read(undefined)).toEqual([])
  expect(read('plugin.ts')).toEqual([{ entry: '.', source: 'plugin.ts', copy: none }])
  expect(
    read({
      './a': 'a/plugin.ts',
      './b': { source: 'b/plugin.ts', options: { x: 1 }, copy: { 'x/[id].txt': 'b/x.txt' } },
    }),
  ).toEqual([
    { entry: './a', source: 'a/plugin.ts', copy: none },
    { entry: './b', source: 'b/plugin.ts', options: { x: 1 }, copy: new Map([['x/[id].txt', 'b/x.txt']]) },
  ])
})

test('names the source of an entry', () => {
  expect(declaredSource('plugin.ts', '.')).toBe('plugin.ts')
  expect(declaredSource({ source: 'plugin.ts' }, '.')).toBe('plugin.ts')
  expect(declaredSource({ './a': 'a/plugin.ts' }, './a')).toBe('a/plugin.ts')
  for (const [botwright, entry] of [
    ['plugin.ts', './a'],
    [{ './a': 'a' }, '.'],
    [undefined, '.'],
    [7, '.'],
  ] as const)
    expect(declaredSource(botwright, entry)).toBeUndefined()
})

const files = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.txt`, 'a']))
const outside = ['../x', '/x', 'a/../../x', 'C:/x', 'a\\x', '.env', 'a/.git/x', 'node_modules/x', 'aux.txt', '']
const wrong: [botwright: unknown, text: string][] = [
  [7, '"botwright" must be the path of plugin.ts, or an object with "source"'],
  [{ source: 'a', option: {} }, 'botwright has an unknown field "option"; the fields are source, options, copy'],
  [{ options: {} }, 'botwright.source must be the path of plugin.ts'],
  [{ source: 'a', options: [] }, 'botwright.options must be an object'],
  [{ source: 'a', options: { text: 'x'.repeat(5000) } }, 'botwright.options is longer than 4000 characters'],
  [{ source: 'a', copy: ['x'] }, 'botwright.copy must be an object of paths'],
  [{ source: 'a', copy: files(21) }, 'botwright.copy has 21 files; the limit is 20'],
  [
    { source: 'a', copy: { 'x.txt': '../x' } },
    'botwright.copy: the value of "x.txt" is not a path inside of the package',
  ],
  [{ './a b': 'a' }, 'botwright["./a b"]: write the entry as in "exports"'],
  ...outside.map((path): [unknown, string] => [
    { source: 'a', copy: { [path]: 'x' } },
    `botwright.copy: "${path}" is not a path inside of the bot's folder`,
  ]),
]
test.each(wrong)('rejects %j', (botwright, text) => {
  expect(() => read(botwright)).toThrow(`package.json: ${text}`)
})
