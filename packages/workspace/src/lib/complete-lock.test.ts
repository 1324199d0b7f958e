import { describe, expect, test } from 'vitest'
import { readFile } from 'node:fs/promises'
import { addIntegrity, completeLock, type LockFile } from './complete-lock.ts'

const lockOf = (packages: LockFile['packages']): LockFile => ({ lockfileVersion: 3, packages: { '': {}, ...packages } })

describe('a lock file', () => {
  test('gets entries for platforms that the registry did not offer', () => {
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

  test.each([
    ['@rollup/rollup-linux-x64-musl', ['musl']],
    ['@rollup/rollup-linux-x64-gnu', ['glibc']],
    ['@oxfmt/binding-linux-arm-gnueabihf', ['glibc']],
    ['@oxfmt/binding-linux-arm-musleabihf', ['musl']],
    ['@rollup/rollup-win32-x64-gnu', undefined],
    ['@msgpackr-extract/msgpackr-extract-linux-arm', undefined],
  ])('names the C library of %s, so that npm does not install several variants', (name, libc) => {
    const lock = lockOf({ 'node_modules/a': { version: '1.0.0', optionalDependencies: { [name]: '1.0.0' } } })
    completeLock(lock)
    expect(lock.packages[`node_modules/${name}`]?.libc).toEqual(libc)
  })

  test('gets missing digests, and reports packages that the registry does not have', async () => {
    const lock = lockOf({
      'packages/rest': { version: '0.1.0' },
      'node_modules/@botwright/rest': { resolved: 'packages/rest', link: true },
      'node_modules/a': { version: '1.0.0', dev: true },
      'node_modules/a/node_modules/@b/c': { version: '2.0.0' },
      'node_modules/alias': { version: '3.0.0', name: 'real' },
      'node_modules/inner': { version: '4.0.0', inBundle: true },
      'node_modules/known': { version: '5.0.0', integrity: 'sha512-known' },
    })
    const ask = (name: string, version: string) =>
      Promise.resolve(name === '@b/c' ? undefined : `sha512-${name}@${version}`)
    expect(await addIntegrity(lock, ask)).toEqual(['@b/c@2.0.0'])
    const found = Object.entries(lock.packages).flatMap(([place, { integrity }]) =>
      integrity ? [[place, integrity]] : [],
    )
    expect(found).toEqual([
      ['node_modules/a', 'sha512-a@1.0.0'],
      ['node_modules/alias', 'sha512-real@3.0.0'],
      ['node_modules/known', 'sha512-known'],
    ])
    expect(Object.keys(lock.packages['node_modules/a'] ?? {})).toEqual(['version', 'integrity', 'dev'])
  })

  test('of this repository is complete', async () => {
    const text = await readFile(new URL('../../../../package-lock.json', import.meta.url), 'utf8')
    expect(completeLock(JSON.parse(text) as LockFile)).toEqual([])
  })
})
