import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { CheckResult } from '../run-checks.ts'
import { sampleFolder } from '../sample-folder.ts'
import { formatViolation } from '../violation.ts'
import { checkCode } from './check-code.ts'

const houseRules = fileURLToPath(new URL('../../../../../.config/eslint.config.mjs', import.meta.url))
const project = JSON.stringify({
  compilerOptions: {
    ...{ strict: true, target: 'es2023', module: 'nodenext', composite: true, skipLibCheck: true, types: [] },
    ...{ allowImportingTsExtensions: true, emitDeclarationOnly: true, rootDir: '.', outDir: 'dist' },
  },
  exclude: ['dist'],
})
const house = {
  '.gitignore': 'dist/\n',
  '.config/eslint.config.mjs': `export { default } from '${houseRules}'\n`,
  '.prettierrc.json': '{ "semi": false, "singleQuote": true }\n',
  '.prettierignore': '*.json\n',
  'package.json': '{ "type": "module" }',
}

async function found(root: string): Promise<string[]> {
  const results: CheckResult[] = []
  // A sample is smaller than the start of a second process.
  await checkCode(root, (result) => results.push(result), 1)
  expect(results.map(({ name }) => name).toSorted()).toEqual(['format', 'lint', 'types'])
  return results.flatMap(({ name, violations }) => violations.map((one) => `${name}: ${formatViolation(one)}`)).sort()
}

test('a file that prettier would change, one that nobody can read, types, promises and time', async () => {
  await using bad = await sampleFolder({
    ...house,
    'x/tsconfig.json': project,
    'x/a.ts': `export async function late() {}\nlate()\n`,
    'x/b.ts': `export const  b: string = 1\n`,
    'packages/rest/tsconfig.json': project,
    'packages/rest/src/c.ts': `export const now = () => Date.now()\n`,
    'packages/rest/src/c.test.ts': `export const now = () => Date.now()\n`,
    'd.mjs': `const = 1\n`,
    'e.mjs': `export const now = () => 1 == 2\n`,
  })
  expect(await found(bad.root)).toEqual([
    expect.stringContaining('format: d.mjs:1  SyntaxError: '),
    'format: x/b.ts  is not formatted — npx prettier --write x/b.ts',
    expect.stringContaining('lint: d.mjs:1  Parsing error: '),
    expect.stringMatching(/^lint: e\.mjs:1 .*eqeqeq$/),
    expect.stringMatching(/^lint: packages\/rest\/src\/c\.ts:1 .*no-restricted-properties$/),
    expect.stringMatching(/^lint: x\/a\.ts:2 .*no-floating-promises$/),
    expect.stringMatching(/^types: x\/b\.ts:1 .*\(TS2322\)$/),
  ])
})

test('what was good is looked at again when it changes, or when a type changes that it leans on', async () => {
  await using folder = await sampleFolder({
    ...house,
    'low/tsconfig.json': project,
    'low/a.ts': `export function send(): void {}\n`,
    'high/tsconfig.json': project.replace('{', '{ "references": [{ "path": "../low" }],'),
    'high/b.ts': `import { send } from '../low/a.ts'\n\nsend()\n`,
    'c.mjs': `export const c = 1\n`,
  })
  const { root } = folder
  const write = (path: string, text: string) => writeFile(join(root, path), text)
  expect(await found(root)).toEqual([])

  await write('low/a.ts', `export async function send(): Promise<void> {}\n`)
  const floating: unknown[] = [expect.stringMatching(/^lint: high\/b\.ts:3 .*no-floating-promises$/)]
  expect(await found(root)).toEqual(floating)

  await write('c.mjs', `export const c  = 1\n`)
  await write('high/new.ts', `export const anything: any = 1\n`)
  expect(await found(root)).toEqual([
    expect.stringMatching(/^format: c\.mjs /),
    // What was wrong is told until it is right.
    ...floating,
    expect.stringMatching(/^lint: high\/new\.ts:1 .*no-explicit-any$/),
  ])
}, 90_000)

test('a configuration that cannot be read is a violation, not silence', async () => {
  await using folder = await sampleFolder({
    ...house,
    '.config/eslint.config.mjs': 'throw new Error("broken")',
    'a.js': '',
  })
  expect(await found(folder.root)).toContainEqual(expect.stringMatching(/^lint: .*could not run: broken/))
})
