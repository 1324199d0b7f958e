import type Path from 'node:path'
import type Url from 'node:url'
import { expect, test, vi } from 'vitest'
import { createLog } from '../program/log.ts'
import { Disposal } from '../bot/dispose/disposal.ts'
import { sourceLine } from '../link/errors/source-line.ts'

// Node's path rules of Windows, on every platform.
vi.mock('node:path', async (load) => {
  const { win32 } = await load<typeof Path>()
  return { ...win32, default: win32 }
})
vi.mock('node:url', async (load) => {
  const url = await load<typeof Url>()
  return {
    ...url,
    fileURLToPath: (file: string | URL) => url.fileURLToPath(file, { windows: true }),
    pathToFileURL: (path: string) => url.pathToFileURL(path, { windows: true }),
  }
})

const root = String.raw`C:\bots\my bot`

const thrownAt = (...frames: string[]): Error => {
  const error = new Error('no such price')
  error.stack = ['Error: no such price', ...frames.map((frame) => `    ${frame}`)].join('\n')
  return error
}

test.each([
  ['a path', String.raw`at Object.run (C:\bots\my bot\commands\price.ts:12:5)`, 'commands/price.ts:12'],
  ['a URL', 'at file:///C:/bots/my%20bot/commands/price.ts:12:5', 'commands/price.ts:12'],
  ['a group', String.raw`at async run (C:\bots\my bot\commands\(shop)\price.ts:12:5)`, 'commands/(shop)/price.ts:12'],
  ['a library', String.raw`at run (C:\bots\my bot\node_modules\shop\index.js:1:1)`, undefined],
  ['another drive', String.raw`at run (D:\bots\my bot\commands\price.ts:12:5)`, undefined],
])('reports an error with %s in its stack with its line in the bot', (_what, frame, place) => {
  expect(sourceLine(thrownAt(String.raw`at node:internal/process:1:1`, frame), root)).toBe(place)
  expect(sourceLine(thrownAt(frame), `${root}\\`)).toBe(place)
})

test("identifies a plugin's file by the end of its path", () => {
  const error = thrownAt('at run (file:///D:/plugins/queues/dist/commands/add.js:7:3)')
  expect(sourceLine(error, root, '@shop/queues/commands/add.js')).toBe('@shop/queues/commands/add.js:7')
})

test('identifies the bot of a module', () => {
  const modules = { 'commands/price.ts': String.raw`C:\bots\my bot\.botwright\dev\1\commands\price.ts.0a1b2c.mjs` }
  const disposal = new Disposal({ root, modules }, createLog({ write: () => undefined }))
  expect(disposal.owns('file:///C:/bots/my%20bot/.botwright/dev/1/lib/shop.ts.0a1b2c.mjs?x')).toBe(true)
  expect(disposal.owns('file:///C:/bots/my%20bot/.botwright/dev/2/lib/shop.ts.0a1b2c.mjs')).toBe(false)
})
