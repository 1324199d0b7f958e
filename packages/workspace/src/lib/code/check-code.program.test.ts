import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runChecks } from '../checks/run-checks.ts'
import { sampleFolder } from '../sample-folder.ts'
import { formatViolation } from '../checks/violation.ts'
import { checkFormat } from './check-format.ts'
import { checkLint } from './check-lint.ts'
import { checkTypes } from './check-types.ts'
import { broken } from './every-rule.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const house = fileURLToPath(new URL('../../../../../', import.meta.url))
const houseRules = await readFile(join(house, '.oxlintrc.json'), 'utf8')

const project = JSON.stringify({
  compilerOptions: {
    ...{ strict: true, target: 'es2023', module: 'nodenext', composite: true, skipLibCheck: true, types: [] },
    ...{
      allowImportingTsExtensions: true,
      emitDeclarationOnly: true,
      rootDir: '.',
      outDir: 'dist',
      lib: ['es2023', 'dom'],
    },
  },
  exclude: ['dist'],
})

const sample = (files: Record<string, string>) =>
  sampleFolder({
    '.gitignore': 'dist/\n',
    '.oxlintrc.json': houseRules,
    '.oxfmtrc.json': '{ "semi": false, "singleQuote": true, "ignorePatterns": ["*.json"] }\n',
    'package.json': '{ "type": "module" }',
    ...files,
  })

async function found(root: string): Promise<string[]> {
  const results = await runChecks(root, [{ types: checkTypes, lint: checkLint, format: checkFormat }], () => undefined)
  return results.flatMap(({ name, violations }) => violations.map((one) => `${name}: ${formatViolation(one)}`)).sort()
}

const usesProcess = 'declare const process: { cwd(): string }\nexport const folder = () => process.cwd()\n'

test('reports unformatted and unreadable files, wrong types, floating promises, and direct use of time and of the process', async () => {
  await using bad = await sample({
    'x/tsconfig.json': project,
    'x/a.ts': `export async function late() {}\nlate()\n`,
    'x/b.ts': `export const  b: string = 1\n`,
    'packages/rest/tsconfig.json': project,
    'packages/rest/src/c.ts': `export const now = () => Date.now()\n`,
    'packages/rest/src/c.test.ts': `export const now = () => Date.now()\n`,
    'packages/dev/tsconfig.json': project,
    'packages/dev/src/g.ts': usesProcess,
    'packages/framework/tsconfig.json': project,
    'packages/framework/src/cli/h.ts': `${usesProcess}export const now = () => Date.now()\n`,
    'packages/framework/src/program/program-io.ts': usesProcess,
    'd.mjs': `const = 1\n`,
    'e.mjs': `export const now = () => 1 == 2\n`,
    'f.mjs': `// oxlint-disable-next-line eqeqeq\nexport const now = () => 1 === 2\n`,
  })
  expect(await found(bad.root)).toEqual([
    'format: d.mjs:1  Unexpected token — correct the syntax',
    'format: x/b.ts  is not formatted — npx oxfmt x/b.ts',
    'lint: d.mjs:1  Unexpected token — correct the syntax or the directive',
    expect.stringMatching(/^lint: e\.mjs:1 .*eqeqeq$/),
    expect.stringMatching(/^lint: f\.mjs:1 .*Unused .* directive/),
    expect.stringMatching(/^lint: packages\/dev\/src\/g\.ts:2 .*no-restricted-properties$/),
    expect.stringMatching(/^lint: packages\/framework\/src\/cli\/h\.ts:2 .*no-restricted-properties$/),
    expect.stringMatching(/^lint: packages\/framework\/src\/cli\/h\.ts:3 .*no-restricted-properties$/),
    expect.stringMatching(/^lint: packages\/rest\/src\/c\.ts:1 .*no-restricted-properties$/),
    expect.stringMatching(/^lint: x\/a\.ts:2 .*no-floating-promises$/),
    expect.stringMatching(/^types: x\/b\.ts:1 .*\(TS2322\)$/),
  ])
})

test('every rule of the configuration reports its violation', slow, async () => {
  const matches = houseRules.matchAll(/^ *"((?:(?:typescript|import)\/)?[\w-]+)": (?:"error"|\[\s*"error")/gm)
  // Several overrides may have the same rule.
  const rules = [...new Set([...matches].map(([, name = '']) => (name.includes('/') ? name : `eslint/${name}`)))]
  expect(Object.keys(broken).toSorted()).toEqual(rules.toSorted())

  const fileOf = (rule: string) => `packages/rest/src/${rule}.ts`
  await using folder = await sample({
    'packages/rest/tsconfig.json': project,
    'packages/rest/src/typescript/type.ts': 'export type A = number',
    'packages/rest/src/import/other.ts': `export type { A } from './no-cycle.ts'`,
    ...Object.fromEntries(rules.map((rule) => [fileOf(rule), broken[rule] ?? ''])),
  })
  const told = (await checkLint(folder.root)).map(formatViolation)
  const missed = rules.filter((rule) => !told.some((one) => one.startsWith(fileOf(rule)) && one.endsWith(` ${rule}`)))
  expect(missed).toEqual([])
})

test(
  'checks dependent projects after a change of a type, and reports a cycle of projects',
  { tags: ['all/processes'] },
  async () => {
    await using folder = await sample({
      'low/tsconfig.json': project,
      'low/a.ts': `export function send(): void {}\n`,
      'high/tsconfig.json': project.replace('{', '{ "references": [{ "path": "../low" }],'),
      'high/b.ts': `import { send } from '../low/a.ts'\n\nsend()\n`,
    })
    const { root } = folder
    expect([...(await checkTypes(root)), ...(await checkLint(root))]).toEqual([])
    await writeFile(join(root, 'low/a.ts'), `export async function send(): Promise<void> {}\n`)
    expect(await checkTypes(root)).toEqual([])
    expect((await checkLint(root)).map(formatViolation)).toEqual([
      expect.stringMatching(/^high\/b\.ts:3 .*no-floating-promises$/),
    ])
    await writeFile(join(root, 'low/tsconfig.json'), project.replace('{', '{ "references": [{ "path": "../high" }],'))
    expect((await checkTypes(root)).map(formatViolation)).toContainEqual(
      expect.stringMatching(/^tsconfig\.json .*circular.*\(TS6202\)$/),
    )
  },
)

test.each([
  ['nonsense', /could not run: .*Failed to parse/],
  ['{ "rules": { "no-such-rule": "error" } }', /could not run: .*no-such-rule/],
])('reports a configuration that cannot be read: %s', slow, async (text, told) => {
  await using folder = await sample({ '.oxlintrc.json': text, 'a.js': '' })
  const [result] = await runChecks(folder.root, [{ lint: checkLint }], () => undefined)
  expect(result?.violations.map(formatViolation)).toEqual([expect.stringMatching(told)])
})
