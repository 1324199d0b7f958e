import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkTarget, findHome, packageName, readPlace, scaffold, ScaffoldError } from '../index.ts'
import { nastyNames } from './names.test.fixture.ts'

let around: string
let cwd: string
beforeEach(() => {
  around = mkdtempSync(path.join(tmpdir(), 'create-bot-names-'))
  cwd = path.join(around, 'here')
  mkdirSync(cwd)
})
afterEach(() => rmSync(around, { recursive: true, force: true }))

const placeOf = (given: string) => {
  try {
    return readPlace(given)
  } catch (error) {
    if (error instanceof ScaffoldError) return undefined
    throw error
  }
}

/** Whether Windows, the strictest system, allows a folder of this name; implemented independently of the code under test. */
const windowsTakes = (folder: string) =>
  folder !== '' &&
  [...folder].every((letter) => letter.codePointAt(0)! >= 32 && !'<>:"/\\|?*'.includes(letter)) &&
  !/[. ]$/.test(folder) &&
  !['CON', 'PRN', 'AUX', 'NUL', 'CONIN$', 'CONOUT$'].includes(folder.split('.')[0]!.trimEnd().toUpperCase()) &&
  !/^(?:COM|LPT)[0-9¹²³]$/.test(folder.split('.')[0]!.trimEnd().toUpperCase()) &&
  Buffer.byteLength(folder) <= 255

describe('the name of a bot', () => {
  test('resolves to a folder below the current one or is rejected: 10,000 names', () => {
    let taken = 0
    fc.assert(
      fc.property(nastyNames, (given) => {
        const place = placeOf(given)
        if (!place) return
        taken++
        const target = path.join(cwd, ...place.folders)
        expect(`${target}/`.startsWith(`${cwd}/`)).toBe(true)
        for (const folder of place.folders) expect(windowsTakes(folder), JSON.stringify(folder)).toBe(true)
        expect(checkTarget(given, cwd).path).toBe(target)
        const name = packageName(place.folders.at(-1) ?? 'here', place.scope, [])
        expect(name).toMatch(/^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
        expect(name.length).toBeLessThanOrEqual(214)
      }),
      { numRuns: 10_000 },
    )
    // Some names are accepted and some are rejected.
    expect(taken).toBeGreaterThan(500)
    expect(taken).toBeLessThan(9500)
    expect(readdirSync(around)).toEqual(['here'])
    expect(readdirSync(cwd)).toEqual([])
  })

  test('is the only folder that is written to', async () => {
    const home = { ...findHome(), checkout: undefined }
    await fc.assert(
      fc.asyncProperty(nastyNames, async (folder) => {
        const place = placeOf(folder)
        const written = await scaffold({ home, template: 'basic', folder, cwd }).catch((error: unknown) => error)
        if (!place) expect(written).toBeInstanceOf(ScaffoldError)
        else expect(existsSync(path.join(cwd, ...place.folders, 'package.json'))).toBe(true)
        expect(readdirSync(around)).toEqual(['here'])
        const [top] = place?.folders ?? []
        expect(readdirSync(cwd)).toEqual(top === undefined ? (place ? readdirSync(cwd) : []) : [top])
        rmSync(cwd, { recursive: true })
        mkdirSync(cwd)
      }),
      { numRuns: Number(process.env['SCAFFOLDS'] ?? 100) },
    )
  })

  test.each([
    ['my-bot', ['my-bot']],
    ['./my-bot', ['my-bot']],
    ['bots/my-bot/', ['bots', 'my-bot']],
    ['bots\\my-bot', ['bots', 'my-bot']],
    ['Mein Bot!', ['Mein Bot!']],
    ['бот', ['бот']],
    ['.', []],
    ['./', []],
  ])('%j is accepted', (given, folders) => {
    expect(readPlace(given)).toEqual({ folders, scope: undefined })
  })

  test.each([
    ['../my-bot', /outside the current folder/],
    ['a/../../b', /outside the current folder/],
    ['..\\b', /outside the current folder/],
    ['/tmp/bot', /absolute/],
    ['C:\\bot', /absolute/],
    ['c:bot', /absolute/],
    ['\\\\server\\share', /absolute/],
    ['~/bot', /home folder/],
    ['-rf', /option/],
    ['CON', /device/],
    ['bots/nul.txt', /device/],
    ['Com1', /device/],
    ['lpt¹', /device/],
    ['bot.', /dot/],
    ['bot ', /space/],
    ['bo:t', /remove them/],
    ['a\u0000b', /invisible/],
    ['a\u202eb', /invisible/],
    ['.git/hooks', /hidden/],
    ['node_modules', /packages/],
    ['x'.repeat(101), /longer/],
    ['🐝'.repeat(60), /longer/],
    ['a/b/c/d/e/f/g/h/i', /deep/],
    ['@acme', /@scope/],
    ['@acme/../x', /@scope/],
    ['@Acme/bot', /@scope/],
  ])('%j is rejected', (given, why) => {
    expect(() => readPlace(given)).toThrow(why)
  })

  test('with a scope names the package; the folder has no scope', () => {
    const place = readPlace('@acme/my-bot')
    expect(place).toEqual({ folders: ['my-bot'], scope: 'acme' })
    expect(packageName('my-bot', place.scope, [])).toBe('@acme/my-bot')
  })

  test('has plain letters for those with accents', () => {
    expect(packageName('Café-Ünï', undefined, [])).toBe('cafe-uni')
  })

  test('never equals the name of a package that the bot installs', () => {
    expect(packageName('vitest', undefined, ['vitest'])).toBe('vitest-bot')
  })
})

test('rejects a symbolic link in the path', () => {
  mkdirSync(path.join(around, 'elsewhere'))
  symlinkSync(path.join(around, 'elsewhere'), path.join(cwd, 'link'))
  expect(() => checkTarget('link/bot', cwd)).toThrow('link is a symbolic link')
})
