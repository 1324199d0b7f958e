import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

// A solution file, as Vite and Nx write it, includes no files: it only refers to other settings.

const app = (include: string[]) =>
  JSON.stringify({
    compilerOptions: {
      ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', types: ['node'] },
      ...{ composite: true, strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
      paths: { '@/*': ['./lib/*'] },
    },
    include,
  })
const files = {
  'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
  'commands/ping.ts': `import { command } from '@botwright/framework'
const times: number = 'two'
export default command({ description: 'Pings', run: () => 'pong '.repeat(times) })
`,
}

test('the types of a bot with a solution file are checked by the settings that it refers to', async () => {
  await using draft = await BotDraft.make({ ...files, 'tsconfig.app.json': app(['**/*', '.framework/types.d.ts']) })
  const { code, stdout } = await draft.framework(['check'])
  expect(stdout).toMatch(/commands\/ping\.ts:2:7 +TS2322: Type 'string' is not assignable to type 'number'/)
  expect(stdout).toContain('tsconfig.app.json sets "paths", which has no effect here: set it in tsconfig.json too')
  expect(stdout).not.toContain('names of other files')
  expect(code).toBe(1)
})

test('names the settings that must include the generated types', async () => {
  await using draft = await BotDraft.make({ ...files, 'tsconfig.app.json': app(['commands/**/*']) })
  const { stdout } = await draft.framework(['check'])
  expect(stdout).toContain('add ".framework/types.d.ts" to "include" in tsconfig.app.json')
})

// A bot of a monorepo refers to the shared package whose types it uses.
test('a bot that refers to another project is checked with the types that this project has written', async () => {
  const settings = (composite: boolean, more: object) => {
    const modules = { target: 'es2023', module: 'nodenext', types: [], skipLibCheck: true, strict: true }
    const extensions = { allowImportingTsExtensions: true, rewriteRelativeImportExtensions: true }
    return JSON.stringify({ compilerOptions: { ...modules, ...extensions, composite }, ...more })
  }
  const include = ['commands', '.framework/types.d.ts']
  await using draft = await BotDraft.make({
    'tsconfig.json': settings(false, { include, references: [{ path: './shared' }] }),
    'shared/tsconfig.json': settings(true, { include: ['*.ts'] }),
    'shared/words.ts': "export const word: string = 'pong'\n",
    'commands/ping.ts': `import { command } from '@botwright/framework'
import { word } from '../shared/words.ts'
const times: number = word
export default command({ description: 'Pings', run: () => 'pong '.repeat(times) })
`,
  })
  expect((await draft.framework(['check'])).stdout).toMatch(/TS6305: [^\n]* Run npx tsc -b first\./)
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'shared'], { cwd: draft.root })
  const { stdout } = await draft.framework(['check'])
  expect(stdout).toMatch(/commands\/ping\.ts:3:7 +TS2322: Type 'string' is not assignable to type 'number'/)
  expect(stdout).toContain('1 problem')
})
