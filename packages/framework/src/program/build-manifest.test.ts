import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type BuildManifest, readBuild } from './build-manifest.ts'

const folder = mkdtempSync(join(tmpdir(), 'botwright-build-'))
afterEach(() => rmSync(join(folder, 'botwright.json'), { force: true }))

const ping = { kind: 'command', name: 'ping', file: 'commands/ping.ts' } as const
const manifest: BuildManifest = {
  version: 1,
  entries: [ping],
  definitions: [{ ...ping, description: 'Ping' }],
  modules: { 'commands/ping.ts': 'commands/ping.js' },
  config: 'bot.config.js',
}
const write = (content: unknown) => writeFileSync(join(folder, 'botwright.json'), JSON.stringify(content))

test('returns absolute paths and the definitions', () => {
  write({ ...manifest, codeId: 'a1' })
  expect(readBuild(folder, '/bot')).toEqual({
    configPath: join(folder, 'bot.config.js'),
    source: {
      manifest: { entries: manifest.entries },
      root: '/bot',
      modules: { 'commands/ping.ts': join(folder, 'commands/ping.js') },
      definitions: manifest.definitions,
      codeId: 'a1',
    },
  })
})

test('a build without an id of its code has one from its modules', () => {
  write({ ...manifest, modules: { 'commands/ping.ts': 'ping.js' } })
  const ids = ['one', 'two', 'two'].map((code) => {
    writeFileSync(join(folder, 'ping.js'), code)
    return readBuild(folder, '/bot').source.codeId
  })
  expect(ids[1]).toBe(ids[2])
  expect(ids[0]).not.toBe(ids[1])
})

test('resolves modules however the path and the folder are written', () => {
  const paths = [
    'a.js',
    'a/b.js',
    './a.js',
    'a/../b.js',
    '../b.js',
    'a//b.js',
    '/else/b.js',
    'a/.b/c.js',
    'a./b.js',
    'a:b.js',
  ]
  write({
    ...manifest,
    modules: Object.fromEntries([['commands/ping.ts', 'p.js'], ...paths.map((path) => [path, path])]),
  })
  for (const from of [folder, `${folder}/`, relative(process.cwd(), folder)]) {
    const { modules } = readBuild(from, '/bot').source
    for (const path of paths) expect(modules[path]).toBe(resolve(folder, path))
  }
})

test.each([
  [undefined, /there is no such file; run "framework build"/],
  [{ version: 1, target: 'fetch' }, /is built as functions \(--target fetch\), .+; run "framework build"$/],
  [null, /not a manifest/],
  [{ ...manifest, version: 2 }, /not a manifest of this version of the framework/],
  [{ ...manifest, modules: {} }, /has no module for commands\/ping\.ts/],
])('a manifest like %o is refused with the fix', (content, text) => {
  if (content !== undefined) write(content)
  expect(() => readBuild(folder, '/bot')).toThrow(text)
})
