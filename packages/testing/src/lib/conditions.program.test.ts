// @module-tag all/runners
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

// A bot whose package has different code for a condition of vitest, tested by a vitest of its own.

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
let root: string

const save = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'botwright-conditions-'))
  mkdirSync(join(root, 'node_modules'))
  for (const name of ['@botwright', 'vitest'])
    symlinkSync(join(checkout, 'node_modules', name), join(root, 'node_modules', name))
  save('package.json', '{"type":"module"}')
  const exports = { development: './development.js', production: './production.js', default: './main.js' }
  save('node_modules/kit/package.json', JSON.stringify({ name: 'kit', type: 'module', exports }))
  for (const file of Object.values(exports)) save(`node_modules/kit/${file}`, `export const kit = '${file}'`)
  save('commands/kit.ts', "import { kit } from 'kit'\nexport default () => kit\n")
  save(
    'test/kit.test.ts',
    `import { startTestBot } from '@botwright/testing'
import { test } from 'vitest'
test('kit', async () => {
  await using chat = await startTestBot(${JSON.stringify(root)})
  const { content } = await chat.person('ann').says('/kit')
  console.log('answer ' + content)
})
`,
  )
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function runTests(): Promise<string> {
  const vitest = join(checkout, 'node_modules/vitest/vitest.mjs')
  const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [vitest, 'run', '--root', root, '--testTimeout', '120000'],
      { cwd: root, env },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    )
  })
}

/** Writes a configuration with which Node loads the kit itself, as from an author's node_modules. */
const configure = (imports: string, base: string) =>
  save(
    'vitest.config.ts',
    `import { mergeConfig } from 'vitest/config'
${imports}
export default mergeConfig(${base}, { test: { server: { deps: { external: [/\\/packages\\/[^/]+\\/dist\\//] } } } })
`,
  )

test('the conditions of a test runner that production lacks are reported with the fix', async () => {
  configure('', '{}')
  const output = await runTests()
  expect(output).toContain('answer ./development.js')
  expect(output).toContain(
    'the tests load the package "kit" with the condition "development", and the bot does not: in vitest.config.ts, set plugins: [botwright()], imported from @botwright/testing/vitest',
  )
})

test.each(['basic/vitest.config.ts', 'javascript/vitest.config.js'])(
  'the tests of a new bot load packages with the conditions of Node: %s',
  async (file) => {
    const name = `template.${file.split('.').at(-1)}`
    copyFileSync(join(checkout, 'templates', file), join(root, name))
    configure(`import template from './${name}'`, 'template')
    const output = await runTests()
    expect(output).toContain('answer ./main.js')
    expect(output).not.toContain('with the condition')
  },
)
