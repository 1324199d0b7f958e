import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadReason } from './load-reason.ts'

/** Why a module with this import cannot be loaded. */
function reasonOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-reason-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const unbuilt = join(folder, 'node_modules/unbuilt')
  mkdirSync(unbuilt, { recursive: true })
  writeFileSync(join(unbuilt, 'package.json'), '{"name":"unbuilt","main":"dist/index.js"}')
  // Node itself: Vitest resolves the imports of its modules.
  const code = `import('${name}').catch((error) => console.log(error.message))`
  return loadReason(new Error(execFileSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' }).trim()))
}

test.each([
  ['lacking', 'lacking'],
  ['lacking/part', 'lacking'],
  ['@scope/lacking', '@scope/lacking'],
])('the reason for a missing package has the command that installs it: %s', (name, lacking) => {
  expect(reasonOf(name)).toBe(`the package "${lacking}" is not installed: npm install ${lacking}`)
})

test.each(['unbuilt', '@/lib/roles', '~/lib/roles'])(
  'an import that no install fixes keeps the message of Node: %s',
  (name) => {
    const reason = reasonOf(name)
    expect(reason).toContain('Cannot find package')
    expect(reason).not.toContain('npm install')
  },
)

test('the reason for an export that Node does not find in a package has the import of CommonJS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-reason-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules/texts'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/texts/index.js'), 'Object.assign(module.exports, { upper: String })')
  writeFileSync(join(folder, 'a.mjs'), "import { upper } from 'texts'\nupper()")
  const code = `import('./a.mjs').catch((error) => console.log(error.message))`
  // With source maps, as for the modules of a bot, Node does not explain it.
  const message = execFileSync(process.execPath, ['--enable-source-maps', '-e', code], {
    cwd: folder,
    encoding: 'utf8',
  }).trim()
  expect(loadReason(new SyntaxError(message))).toBe(
    `the package "texts" has no export named "upper"; if it is CommonJS, import its default export: import all from 'texts'`,
  )
})

const sqlite = '/bot/node_modules/.pnpm/sqlite@1.0.0/node_modules/sqlite'

test.each([
  // Of the packages bindings, node-gyp-build and node-pre-gyp.
  `Could not locate the bindings file. Tried:\n → ${sqlite}/build/sqlite.node\n → ${sqlite}/build/Debug/sqlite.node`,
  `No native build was found for platform=linux arch=x64 runtime=node abi=115 uv=1 libc=glibc node=20.20.2\n    loaded from: ${sqlite}\n`,
  `Cannot find module '../build/Release/sqlite.node'\nRequire stack:\n- ${sqlite}/lib/bindings.js\n- /bot/node_modules/orm/index.js`,
])('the reason for missing compiled code has the command that installs it: %s', (message) => {
  expect(loadReason(new Error(message))).toBe(
    'the package "sqlite" has no compiled code for this machine, which its install script adds: npm rebuild sqlite',
  )
})
