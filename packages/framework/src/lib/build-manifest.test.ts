import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('paths become absolute, and the definitions are known', () => {
  write(manifest)
  expect(readBuild(folder, '/bot')).toEqual({
    configPath: join(folder, 'bot.config.js'),
    source: {
      manifest: { entries: manifest.entries },
      root: '/bot',
      modules: { 'commands/ping.ts': join(folder, 'commands/ping.js') },
      definitions: manifest.definitions,
    },
  })
})

test.each([
  [undefined, /there is no such file; run "framework build"/],
  [{ ...manifest, version: 2 }, /not the manifest that this version of the framework builds/],
  [{ ...manifest, modules: {} }, /names no module for commands\/ping\.ts/],
])('a manifest like %o is refused with the fix', (content, text) => {
  if (content) write(content)
  expect(() => readBuild(folder, '/bot')).toThrow(text)
})
