import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test.each([
  [
    'libsql',
    /^driver Node 2\S+ needs the package libsql, which is not installed: run "npm install libsql", or use Node 24/,
  ],
  ['@libsql/', /^driver Node 2\S+ needs the native part of libsql, .*without --omit=optional, or use Node 24/],
])('reports that %s is missing, and how to fix it', async (missing, text) => {
  const file = new URL('../../dist/lib/open-database.js', import.meta.url).href
  const program = `
    import Module from 'node:module'
    const resolve = Module._resolveFilename
    Module._resolveFilename = (name, ...rest) => {
      if (name.startsWith('${missing}')) throw new Error('Cannot find module ' + name)
      return resolve(name, ...rest)
    }
    const { openDatabase } = await import(${JSON.stringify(file)})
    try { openDatabase(':memory:', { driver: 'libsql' }) } catch ({ code, message }) { console.log(code, message) }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toMatch(text)
})
