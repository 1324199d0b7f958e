import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { releasedPackages } from '../publishing/released.ts'
import { sampleFolder } from '../sample-folder.ts'
import { apiReports } from './api-report.ts'
import { checkApi } from './check-api.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/large' } as const

const rest = {
  'packages/rest/package.json': JSON.stringify({
    name: '@botwright/rest',
    version: '0.1.0',
    exports: { '.': { types: './dist/index.d.ts' }, './client': { types: './dist/client.d.ts' } },
  }),
  'packages/rest/dist/index.d.ts': `export { send } from './send.js'
export type { Options as SendOptions } from './send.js'
`,
  'packages/rest/dist/client.d.ts': `/** Shown in the reference. */
export declare const client: { readonly url: string }
`,
  'packages/rest/dist/send.d.ts': `import type { Wait } from './wait.js'
interface Options { wait: Wait }
export type { Options }
/** Sends. */
export declare function send(text: string, options?: Options): Promise<void>
export declare function hidden(): void
`,
  'packages/rest/dist/wait.d.ts': `export type Wait = Unit | 'never'
type Unit = '1s' | '1m'
`,
}

const reportOf = async (files: Record<string, string>) => {
  await using folder = await sampleFolder(files)
  return apiReports(folder.root, await releasedPackages(folder.root)).get('packages/rest') ?? ''
}

test('does not depend on the order in which the compiler met the parts of a type', async () => {
  const declared = (text: string) =>
    reportOf({ ...rest, 'packages/rest/dist/client.d.ts': `export declare const client: ${text}\n` })
  const one = await declared(`Wrap<{ b: 'b'; a: 'x' | 'y'[] }> | undefined`)
  expect(await declared(`undefined | Wrap<{ a: 'y'[] | 'x'; b: 'b' }>`)).toBe(one)
  expect(await declared(`undefined | Wrap<{ a: 'y'[] | 'z'; b: 'b' }>`)).not.toBe(one)
})

test('contains every public name of every entry, without comments, and the types that these use', async () => {
  expect((await reportOf(rest)).split('\n').slice(4).join('\n')).toBe(`## @botwright/rest

\`\`\`ts
// as SendOptions
interface Options {
    wait: Wait;
}
function send(text: string, options?: Options): Promise<void>;

// not exported, but used by exports
type Unit = '1m' | '1s';
type Wait = 'never' | Unit;
\`\`\`

## @botwright/rest/client

\`\`\`ts
const client: {
    readonly url: string;
};
\`\`\`
`)
})

test('shows the package of a name from another package', async () => {
  const files = {
    ...rest,
    'packages/rest/dist/index.d.ts': `export { Clock } from '../../clock/dist/index.js'\n`,
    'packages/clock/dist/index.d.ts': `export interface Clock { now(): number }\n`,
  }
  expect(await reportOf(files)).toContain('export { Clock } // of @botwright/clock')
})

test('shows a table of thousands of characters as a digest that changes with it', slow, async () => {
  const table = (last: string) => ({
    ...rest,
    'packages/rest/dist/client.d.ts': `export declare const table: {\n${'  row: 1\n'.repeat(900)}  ${last}: 2\n}\n`,
  })
  const [one, two] = [await reportOf(table('a')), await reportOf(table('b'))]
  expect(one).toMatch(/const table: \{\n\/\/ … \d+ characters, [0-9a-f]{12}/)
  expect(one).not.toBe(two)
})

test('reports a changed export until the report is regenerated', async () => {
  await using folder = await sampleFolder(rest)
  const { root } = folder
  expect(await checkApi(root)).toMatchObject([{ file: 'packages/rest/api.md', line: 1 }])
  await writeFile(
    join(root, 'packages/rest/api.md'),
    apiReports(root, await releasedPackages(root)).get('packages/rest') ?? '',
  )
  expect(await checkApi(root)).toEqual([])
  await writeFile(join(root, 'packages/rest/dist/client.d.ts'), 'export declare const client: { readonly url: URL }\n')
  expect(await checkApi(root)).toMatchObject([{ line: 23, fact: 'differs from the current exports' }])
})
