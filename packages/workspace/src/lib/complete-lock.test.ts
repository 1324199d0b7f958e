import { describe, expect, test } from 'vitest'
import { readFile } from 'node:fs/promises'
import { completeLock, type LockFile } from './complete-lock.ts'

const lockOf = (packages: LockFile['packages']): LockFile => ({ lockfileVersion: 3, packages: { '': {}, ...packages } })

describe('a lock file', () => {
  test('gets the platforms that the registry did not offer', () => {
    const lock = lockOf({
      'node_modules/rollup': {
        version: '4.0.0',
        dev: true,
        optionalDependencies: { '@rollup/rollup-linux-x64-gnu': '4.0.0', '@rollup/rollup-darwin-arm64': '4.0.0' },
      },
      'node_modules/@rollup/rollup-linux-x64-gnu': { version: '4.0.0' },
    })
    expect(completeLock(lock)).toEqual(['@rollup/rollup-darwin-arm64'])
    expect(lock.packages['node_modules/@rollup/rollup-darwin-arm64']).toEqual({
      ...{ version: '4.0.0', cpu: ['arm64'], dev: true, optional: true, os: ['darwin'] },
    })
    expect(Object.keys(lock.packages)).toEqual([
      ...['', 'node_modules/@rollup/rollup-darwin-arm64', 'node_modules/@rollup/rollup-linux-x64-gnu'],
      'node_modules/rollup',
    ])
    expect(completeLock(lock)).toEqual([])
  })

  test('keeps two versions apart', () => {
    const lock = lockOf({
      'node_modules/a/node_modules/esbuild': {
        version: '1.0.0',
        optionalDependencies: { '@esbuild/win32-x64': '1.0.0' },
      },
      'node_modules/esbuild': { version: '2.0.0', optionalDependencies: { '@esbuild/win32-x64': '2.0.0' } },
    })
    completeLock(lock)
    expect(lock.packages['node_modules/a/node_modules/@esbuild/win32-x64']?.version).toBe('1.0.0')
    expect(lock.packages['node_modules/@esbuild/win32-x64']?.version).toBe('2.0.0')
  })

  test('of this repository is complete', async () => {
    const text = await readFile(new URL('../../../../package-lock.json', import.meta.url), 'utf8')
    expect(completeLock(JSON.parse(text) as LockFile)).toEqual([])
  })
})
