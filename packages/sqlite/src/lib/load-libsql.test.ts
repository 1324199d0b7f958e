import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openDriver } from './drivers.ts'

// Linux only: elsewhere libsql detects the platform itself, without a process report.
test.skipIf(process.platform !== 'linux')('loads libsql without generating a process report', async () => {
  const file = new URL('../../dist/lib/load-libsql.js', import.meta.url).href
  const program = `
    let reports = 0
    process.report.getReport = () => (reports++, {})
    const { loadLibsql } = await import(${JSON.stringify(file)})
    const Libsql = loadLibsql()
    const value = new Libsql(':memory:').prepare('SELECT 7 AS seven').get()
    console.log(JSON.stringify({ ...value, reports, starter: process.moduleLoadList.includes('NativeModule child_process') }))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(JSON.parse(stdout)).toMatchObject({ seven: 7, reports: 0, starter: false })
})

test('leaves the modules that libsql uses for detection unchanged for other code', async () => {
  openDriver('libsql', ':memory:', false).close()
  const { createRequire } = await import('node:module')
  const libsql = createRequire(createRequire(import.meta.url).resolve('libsql'))
  expect(libsql('detect-libc')).toHaveProperty('versionSync')
})

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
