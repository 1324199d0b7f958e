import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('reports a missing native part and how to fix it', async () => {
  const file = new URL('../../dist/lib/open-database.js', import.meta.url).href
  const program = `
    import Module from 'node:module'
    const load = Module._load
    Module._load = (name, ...rest) => {
      if (name.startsWith('@libsql/')) throw new Error('Cannot find module ' + name)
      return load(name, ...rest)
    }
    const { openDatabase } = await import(${JSON.stringify(file)})
    try { openDatabase(':memory:', { driver: 'libsql' }) } catch ({ code, message }) { console.log(code, message) }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toMatch(
    /^driver Node 2\S+ needs the native part of libsql, .*without --omit=optional, or run on Node 24/,
  )
})
