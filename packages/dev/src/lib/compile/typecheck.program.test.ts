import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readProblems, typeProblems } from './typecheck.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

test('reports the reason of a type error that is closest to the source', () => {
  const output = [
    "buttons/a.ts(7,3): error TS2322: Type 'Long' is not assignable to type 'Answer'.",
    "  Type 'Promise<Long>' is not assignable to type 'Promise<Answer>'.",
    "    Types of property 'content' are incompatible.",
    "      Type 'Promise<string>' is not assignable to type 'string'.",
    'buttons/b.ts(1,2): error TS2769: No overload matches this call.',
    "  Overload 1 of 2, '(question: Outgoing)', gave the following error.",
    "    Argument of type 'Promise<string>' is not assignable to parameter of type 'Outgoing'.",
    "buttons/c.ts(3,4): error TS2304: Cannot find name 'd'.",
    '',
  ].join('\n')
  expect(readProblems(output).map(({ file, text }) => [file, ...text.split('\n')])).toEqual([
    [
      'buttons/a.ts',
      "TS2322: Type 'Long' is not assignable to type 'Answer'.",
      "  Types of property 'content' are incompatible. Type 'Promise<string>' is not assignable to type 'string'.",
    ],
    [
      'buttons/b.ts',
      'TS2769: No overload matches this call.',
      "  Argument of type 'Promise<string>' is not assignable to parameter of type 'Outgoing'.",
    ],
    ['buttons/c.ts', "TS2304: Cannot find name 'd'."],
  ])
})

test('an imported text without a declaration is reported with the declaration', () => {
  const lines = ['#lib/a.txt', './b.sql', './c.wasm'].map(
    (name) => `a.ts(1,2): error TS2307: Cannot find module '${name}' or its corresponding type declarations.`,
  )
  expect(readProblems(lines.join('\n')).map(({ notes }) => notes)).toEqual([
    ["add a file texts.d.ts: declare module '*.txt' { const text: string; export default text }"],
    ["add a file texts.d.ts: declare module '*.sql' { const text: string; export default text }"],
    undefined,
  ])
})

describe('the compiler of a bot', () => {
  /** A bot with a compiler whose program is this text. */
  async function botWith(bin: string | Record<string, string>, program: string): Promise<string> {
    const root = await mkdtemp(join(tmpdir(), 'botwright-typecheck-'))
    onTestFinished(() => rm(root, { recursive: true, force: true }))
    const files = {
      'tsconfig.json': '{}',
      'node_modules/typescript/package.json': JSON.stringify({ name: 'typescript', bin }),
      'node_modules/typescript/bin/program': program,
    }
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), text)
    }
    return root
  }
  const finding = `console.log('a.ts(1,2): error TS2304: Cannot find name.'); process.exitCode = 2`

  test.each([['tsc'], ['tsc6']])(
    'is found under the name %s, which @typescript/typescript6 changes',
    slow,
    async (name) => {
      const root = await botWith({ tsserver: './bin/other', [name]: './bin/program' }, finding)
      expect(await typeProblems(root)).toEqual([
        { file: 'a.ts', line: 1, column: 2, text: 'TS2304: Cannot find name.' },
      ])
    },
  )

  test('is itself the problem if it fails without reporting one', async () => {
    const root = await botWith({ tsc: './bin/program' }, `throw new Error('no such library')`)
    await expect(typeProblems(root)).rejects.toThrow(
      /^typescript exited with code 1 and reported no problem\. [^]*no such library/,
    )
  })
})
