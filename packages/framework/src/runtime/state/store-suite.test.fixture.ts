import { VirtualClock } from '@botwright/clock'
import { describe, expect, test } from 'vitest'
import type { StateStore } from '../../author/ports.ts'
import { inTurn } from '../../author/state/turns.ts'

/** The behavior that every store guarantees. `make` creates an empty store. */
export function storeSuite(name: string, make: (clock: VirtualClock) => StateStore): void {
  describe(name, () => {
    const clock = new VirtualClock()
    const keysOf = (list: readonly { key: string }[]) => list.map(({ key }) => key)

    test('returns a stored value, and undefined for an unknown key', async () => {
      const store = make(clock)
      const values = [0, '', false, null, [], { a: [1, { b: null }] }, 'é😀\n', 1.5, 2 ** 53]
      for (const [i, value] of values.entries()) {
        expect(await store.set(`k${i}`, value)).toBe(true)
        expect((await store.get(`k${i}`))?.value).toEqual(value)
      }
      expect(await store.get('k')).toBeUndefined()
      expect(await store.get('k99')).toBeUndefined()
      expect(await store.get('constructor')).toBeUndefined()
    })

    test('stores values as JSON', async () => {
      const store = make(clock)
      await store.set('k', { at: new Date(0), gone: undefined, run: () => 1, list: [undefined], nan: NaN })
      expect((await store.get('k'))?.value).toEqual({ at: '1970-01-01T00:00:00.000Z', list: [null], nan: null })
      for (const value of [undefined, () => 1, 1n, Symbol('x')])
        await expect(store.set('bad', value)).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
      const ring: unknown[] = []
      ring.push(ring)
      await expect(store.set('bad', ring)).rejects.toThrow(/"bad": the value cannot be stored as JSON/)
      expect(await store.get('bad')).toBeUndefined()
    })

    test('treats __proto__ like any other key, in keys and in values', async () => {
      const store = make(clock)
      const value = JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as object
      await store.set('__proto__', value)
      const read = (await store.get('__proto__'))!.value as object
      expect(JSON.stringify(read)).toBe('{"__proto__":{"admin":true},"constructor":1}')
      expect((read as { admin?: boolean }).admin).toBeUndefined()
      expect(keysOf(await store.list(''))).toEqual(['__proto__'])
    })

    test('returns a new copy to each reader', async () => {
      const store = make(clock)
      const value = { list: [1] }
      await store.set('k', value)
      value.list.push(2)
      ;((await store.get('k'))!.value as typeof value).list.push(3)
      expect((await store.get('k'))!.value).toEqual({ list: [1] })
    })

    test('writes only if the version is the expected one', async () => {
      const store = make(clock)
      expect(await store.set('k', 1, { expected: 7 })).toBe(false)
      expect(await store.set('k', 1, { expected: 0 })).toBe(true)
      expect(await store.set('k', 2, { expected: 0 })).toBe(false)
      const { version } = (await store.get('k'))!
      expect(await store.set('k', 2, { expected: version })).toBe(true)
      expect(await store.set('k', 3, { expected: version })).toBe(false)
      expect(await store.delete('k', { expected: version })).toBe(false)
      expect((await store.get('k'))!.value).toBe(2)
      expect(await store.set('k', 4)).toBe(true)
    })

    test('never reuses a version, even after a delete', async () => {
      const store = make(clock)
      await store.set('k', 'old')
      const { version } = (await store.get('k'))!
      expect(await store.delete('k')).toBe(true)
      expect(await store.delete('k')).toBe(false)
      await store.set('k', 'new')
      expect(await store.set('k', 'lost', { expected: version })).toBe(false)
      expect(await store.delete('k', { expected: (await store.get('k'))!.version })).toBe(true)
    })

    test('exactly one of many writes that expect the same version succeeds', async () => {
      const store = make(clock)
      const won = await Promise.all(Array.from({ length: 20 }, (_, i) => store.set('k', i, { expected: 0 })))
      expect(won.filter(Boolean)).toHaveLength(1)
      expect((await store.get('k'))!.value).toBe(won.indexOf(true))
    })

    test('writes and deletes within a turn of the same key, as an update of the state does', async () => {
      const store = make(clock)
      expect(await inTurn(store, 'k', () => store.set('k', 1, { expected: 0 }))).toBe(true)
      expect(await inTurn(store, 'k', () => store.delete('k'))).toBe(true)
    })

    test('lists the keys with a prefix in order, page by page', async () => {
      const store = make(clock)
      for (const key of ['a:2', 'a:10', 'b:1', 'a:', 'a', 'a;', 'A:1']) await store.set(key, key)
      expect(await store.list('a:')).toMatchObject([
        { key: 'a:', value: 'a:' },
        { key: 'a:10', value: 'a:10' },
        { key: 'a:2', value: 'a:2' },
      ])
      expect(keysOf(await store.list('a:', { limit: 2 }))).toEqual(['a:', 'a:10'])
      expect(keysOf(await store.list('a:', { limit: 2, after: 'a:10' }))).toEqual(['a:2'])
      expect(keysOf(await store.list('a:', { after: 'a:1' }))).toEqual(['a:10', 'a:2'])
      expect(keysOf(await store.list(''))).toEqual(['A:1', 'a', 'a:', 'a:10', 'a:2', 'a;', 'b:1'])
      expect(await store.list('a:', { limit: 0 })).toEqual([])
      expect(await store.list('a:', { limit: Infinity })).toHaveLength(3)
    })

    test('matches %, _ and * in a prefix literally', async () => {
      const store = make(clock)
      for (const key of ['100%', '100%:a', '100x:a', 'a_b', 'axb', 'a*b', "it's"]) await store.set(key, 1)
      expect(keysOf(await store.list('100%'))).toEqual(['100%', '100%:a'])
      expect(keysOf(await store.list('a_'))).toEqual(['a_b'])
      expect(keysOf(await store.list('a*'))).toEqual(['a*b'])
      expect(keysOf(await store.list("it'"))).toEqual(["it's"])
    })

    test('sorts every script by code points, and lists only keys with the prefix', async () => {
      const store = make(clock)
      const keys = [
        'é',
        'z',
        '\u{1F600}',
        '\u{1F601}x',
        '\uE000',
        '\uFFFD',
        '\u{10FFFF}',
        '\u{10FFFF}x',
        '日本',
        '\x01',
      ]
      for (const key of keys) await store.set(key, 1)
      expect(keysOf(await store.list(''))).toEqual([
        '\x01',
        'z',
        'é',
        '日本',
        '\uE000',
        '\uFFFD',
        '\u{1F600}',
        '\u{1F601}x',
        '\u{10FFFF}',
        '\u{10FFFF}x',
      ])
      for (const key of keys)
        expect(keysOf(await store.list(key))).toEqual(keys.filter((other) => other.startsWith(key)).sort())
      await store.set('\uD7FFx', 1)
      expect(keysOf(await store.list('\uD7FF'))).toEqual(['\uD7FFx'])
    })

    test('replaces lone surrogates and NUL by U+FFFD in keys, not in values', async () => {
      const store = make(clock)
      await store.set('k\uD83D\0', 'v\uDE00\0')
      expect((await store.get('k\uD83D\0'))?.value).toBe('v\uDE00\0')
      expect(keysOf(await store.list('k\uD83D'))).toEqual(['k\uFFFD\uFFFD'])
    })

    test('rejects an empty key', async () => {
      const store = make(clock)
      for (const run of [
        async () => store.get(''),
        async () => store.set('', 1),
        async () => store.delete(''),
        async () => store.get(undefined as never),
      ])
        await expect(run()).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
    })

    test('treats an expired value as absent', async () => {
      const store = make(clock)
      const expiresAtMs = clock.now() + 1000
      await store.set('k:1', 'short', { expiresAtMs })
      await store.set('k:2', 'long')
      expect(await store.get('k:1')).toMatchObject({ value: 'short', expiresAtMs })
      expect(await store.get('k:2')).not.toHaveProperty('expiresAtMs')
      await clock.advance(999)
      expect(keysOf(await store.list('k:'))).toEqual(['k:1', 'k:2'])
      await clock.advance(1)
      expect(await store.get('k:1')).toBeUndefined()
      expect(keysOf(await store.list('k:', { limit: 1 }))).toEqual(['k:2'])
      expect(await store.delete('k:1')).toBe(false)
      expect(await store.set('k:1', 'again', { expected: 0 })).toBe(true)
      await clock.advance(3_600_000)
      expect((await store.get('k:1'))?.value).toBe('again')
    })

    test('stores large values, and rejects one that is too large', async () => {
      const store = make(clock)
      const large = { text: 'ü'.repeat(3_000_000), list: Array.from({ length: 10_000 }, (_, i) => i) }
      await store.set('k', large)
      expect((await store.get('k'))?.value).toEqual(large)
      await expect(store.set('k', 'x'.repeat(9_000_000))).rejects.toThrow(/"k": the value has 9000002 characters/)
      expect((await store.get('k'))?.value).toEqual(large)
    })
  })
}
