import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkFormat } from './check-format.ts'
import { checkLint } from './check-lint.ts'
import { checkTypes } from './check-types.ts'
import { sampleFolder } from './sample-folder.ts'

const houseRules = fileURLToPath(new URL('../../../../.config/eslint.config.mjs', import.meta.url))
const project = JSON.stringify({
  compilerOptions: { strict: true, target: 'es2023', noEmit: true, skipLibCheck: true, types: [] },
})

test('prettier: a file that it would change, and one that it cannot read', async () => {
  await using bad = await sampleFolder({ 'a.ts': 'const  a=1', 'b.ts': 'const = ;', 'c.ts': 'const c = 1;\n' })
  expect(await checkFormat(bad.root)).toMatchObject([
    { file: 'a.ts', fact: 'is not formatted' },
    { file: 'b.ts', line: 1, fact: expect.stringContaining('SyntaxError') as string },
  ])
  await using good = await sampleFolder({ 'c.ts': 'const c = 1;\n' })
  expect(await checkFormat(good.root)).toEqual([])
})

test('eslint: the rules of the house, type-checked', async () => {
  const config = {
    '.config/eslint.config.mjs': `export { default } from ${JSON.stringify(houseRules)}`,
    'tsconfig.json': project,
  }
  await using bad = await sampleFolder({
    ...config,
    'a.ts': `export async function late() {}\nlate()\n`,
    'packages/rest/src/b.ts': `export const now = () => Date.now()\n`,
    'packages/rest/src/b.test.ts': `export const now = () => Date.now()\n`,
  })
  expect(await checkLint(bad.root)).toMatchObject([
    { file: 'a.ts', line: 2, fix: 'follow the rule @typescript-eslint/no-floating-promises' },
    { file: 'packages/rest/src/b.ts', line: 1, fix: 'follow the rule no-restricted-properties' },
  ])
  await using good = await sampleFolder({ ...config, 'a.ts': `export async function late() {}\nawait late()\n` })
  expect(await checkLint(good.root)).toEqual([])
})

test('eslint: a configuration that cannot be read is an error, not silence', async () => {
  await using folder = await sampleFolder({ '.config/eslint.config.mjs': 'throw new Error("broken")', 'a.js': '' })
  await expect(checkLint(folder.root)).rejects.toThrow('eslint ended with 2')
})

test('tsc: every project that is found', async () => {
  await using bad = await sampleFolder({ 'x/tsconfig.json': project, 'x/a.ts': `\nexport const a: string = 1\n` })
  expect(await checkTypes(bad.root)).toMatchObject([{ file: 'x/a.ts', line: 2, fix: 'correct the types (TS2322)' }])
  await using good = await sampleFolder({ 'x/tsconfig.json': project, 'x/a.ts': `export const a = 1\n` })
  expect(await checkTypes(good.root)).toEqual([])
})
