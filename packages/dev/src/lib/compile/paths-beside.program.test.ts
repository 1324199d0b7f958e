import { expect, test } from 'vitest'
import { pathsBeside } from './paths-beside.ts'

/** The paths in a module of `/bot/commands` besides its own, in short. */
async function found(source: string): Promise<string[]> {
  const paths = await pathsBeside(source, '/bot/commands/a.ts')
  const others = paths.filter(({ path }) => path !== '/bot/commands/a.ts')
  return others.map(({ path, isPart, use }) => path + (isPart ? '/…' : '') + (use === 'other' ? '' : ` ${use}`))
}

test.each([
  // Ways to write the same path.
  [`x(new URL('../data/x.txt', import.meta.url))`, ['/bot/data/x.txt']],
  [`x(new URL('../data/two%20words.txt?v=1#a', import.meta.url))`, ['/bot/data/two words.txt']],
  [`x(fileURLToPath(new URL('../data/x.txt', import.meta.url).href))`, ['/bot/data/x.txt']],
  [`x(join(import.meta.dirname, '..', 'data', 'x.txt'))`, ['/bot/data/x.txt']],
  [`x(path.resolve(dirname(import.meta.filename), '../data/x.txt'))`, ['/bot/data/x.txt']],
  ['x(`${import.meta.dirname}/../data/x.txt`)', ['/bot/data/x.txt']],
  [`x(import.meta.dirname + '/../data/x.txt')`, ['/bot/data/x.txt']],
  [`const { dirname: at } = import.meta\nx(join(at, '../data/x.txt'))`, ['/bot/data/x.txt']],
  [`const name: string = 'x.txt'\nx(join(import.meta.dirname, '../data', name))`, ['/bot/data/x.txt']],
  [`x(import.meta.resolve('./x.txt'))`, ['/bot/commands/x.txt']],
  // Paths that go on at run time.
  [`x(join(import.meta.dirname, '../data', name, 'x.txt'))`, ['/bot/data/…']],
  ['x(`${import.meta.dirname}/../data/${name}.txt`)', ['/bot/data/…']],
  ['x(`${import.meta.dirname}/../data/part-${name}.txt`)', ['/bot/data/…']],
  ['x(new URL(`../data/part-${name}.txt`, import.meta.url))', ['/bot/data/…']],
  [`x(new URL(name, import.meta.url))`, ['/bot/commands/…']],
  // Uses.
  [`readdirSync(join(import.meta.dirname, '../data'))`, ['/bot/data listed']],
  [`new Worker(new URL('../lib/a.ts', import.meta.url))`, ['/bot/lib/a.ts run']],
  [`const file = new URL('../lib/a.ts', import.meta.url)\nfork(file)`, ['/bot/lib/a.ts run', '/bot/lib/a.ts run']],
  [`import(new URL('../lib/a.js', import.meta.url).href)`, ['/bot/lib/a.js run']],
  [`const need = createRequire(import.meta.url)\nneed('../x.json')`, ['/bot/x.json required']],
  [`createRequire(import.meta.url).resolve('../x.json')`, ['/bot/x.json required']],
  [`readFileSync(join(import.meta.dirname, '../x.txt'), 'utf8')`, ['/bot/x.txt read']],
  [
    `const file = join(import.meta.dirname, '../x.json')\nfs.writeFile(file, '{}')`,
    ['/bot/x.json', '/bot/x.json written'],
  ],
  ['readFile(`${import.meta.dirname}/${name}.txt`)', ['/bot/commands/… read']],
  [`fs.rename(next, join(import.meta.dirname, '../x.json'))`, ['/bot/x.json written']],
  [
    `copyFileSync(join(import.meta.dirname, 'a.txt'), join(import.meta.dirname, 'b.txt'))`,
    ['/bot/commands/a.txt read', '/bot/commands/b.txt written'],
  ],
  [
    `cp(join(import.meta.dirname, 'a'), join(import.meta.dirname, 'b'))`,
    ['/bot/commands/a listed', '/bot/commands/b written'],
  ],
  [`openSync(join(import.meta.dirname, 'a.txt'), 'a+')`, ['/bot/commands/a.txt written']],
  [`open(join(import.meta.dirname, 'a.txt'), 'r')`, ['/bot/commands/a.txt read']],
  [`outputJson(join(import.meta.dirname, 'a.json'), {})`, ['/bot/commands/a.json written']],
  [
    `const file = join(import.meta.dirname, 'a.txt')\nnew Store({}, file.href)`,
    ['/bot/commands/a.txt', '/bot/commands/a.txt passed'],
  ],
  [`const file = join(import.meta.dirname, 'a.txt')\nexistsSync(file)\nconsole.log(file)`, ['/bot/commands/a.txt']],
  // No paths to files.
  [`const need = createRequire(import.meta.url)\nneed('zod')`, []],
  [`x(new URL('/v1', 'https://example.com'))`, []],
  [`x(new URL('https://example.com/a', import.meta.url))`, []],
  ['x(`${import.meta.filename}: failed`)', []],
  [`// new URL('../data/x.txt', import.meta.url)\nx("new URL('../data/x.txt', import.meta.url)")`, []],
  [`let a = a + import.meta\nx(a)`, []],
])('%s', async (source, paths) => {
  expect(await found(source)).toEqual(paths)
})

test('names the exported constants', async () => {
  const source = `export const one = new URL('1.txt', import.meta.url)
const two = join(import.meta.dirname, '2.txt'), three = join(import.meta.dirname, '3.txt')
export { two as second }`
  const paths = await pathsBeside(source, '/bot/commands/a.ts')
  expect(paths.map(({ exported }) => exported)).toEqual(['one', 'second', undefined])
})

test('names the place of a path in TypeScript, and the text of its URL', async () => {
  const source = `interface Cat { name: string }

export const sum = (cats: Cat[]): URL =>
  new URL('../lib/sum.ts', import.meta.url)
`
  const [path] = await pathsBeside(source, '/bot/commands/a.ts')
  expect(path).toMatchObject({ line: 4, column: 3 })
  expect(source.slice(path!.literal!.start, path!.literal!.end)).toBe('../lib/sum.ts')
})
