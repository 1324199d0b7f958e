import { channel, list, role, user } from '@botwright/framework'
import { describe, expect, test } from 'vitest'
import { argKinds, benignText, exportedArgKinds, hostileTexts, readArg } from './hostile-args.test.fixture.ts'
import { leastMs } from './processor-time.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/large' } as const

// The long form is packages/workspace/soak/hostile-texts.mjs.
/** Maximum ratio of the time for a hostile text to that for an ordinary one of the same length. */
const RATIO = 20
/** Anything faster is fine, regardless of the ratio. */
const FAST_MS = 50

describe('arguments, with 10,000 members, channels and roles', () => {
  test('cover every kind of argument that the framework exports', async () => {
    expect(Object.keys(argKinds).sort()).toEqual(await exportedArgKinds())
  })

  const all = { tags: 'all/hostile-texts' } as const
  const kinds = Object.keys(argKinds)
  /** Each of their short texts is compared with 10,000 names. */
  const lookups = ['channel', 'role', 'user']

  async function readsFast(kindName: string, length: number, texts = hostileTexts(length)): Promise<void> {
    const kind = argKinds[kindName]!
    const benignMs = await leastMs(() => readArg(kind, benignText(length)))
    const mostMs = Math.max(FAST_MS, RATIO * benignMs)
    for (const text of texts) {
      const ms = await leastMs(() => readArg(kind, text), { enoughMs: mostMs })
      expect(ms, `${JSON.stringify(text.slice(0, 40))}…`).toBeLessThanOrEqual(mostMs)
    }
  }

  test.each(kinds)('%s() reads hostile texts of 30 characters about as fast as others', slow, async (kind) => {
    const texts = hostileTexts(30)
    await readsFast(
      kind,
      30,
      lookups.includes(kind) ? texts.filter((_, i) => i % 10 === 0 || i >= texts.length - 4) : texts,
    )
  })

  test.each(kinds)('%s() reads hostile texts of 2000 characters about as fast as others', async (kind) => {
    await readsFast(kind, 2000)
  })

  test.each(kinds)('%s() reads hostile texts of 100,000 characters about as fast as others', all, async (kind) => {
    await readsFast(kind, 100_000)
  })

  test.each(lookups)('%s() reads every hostile text of 30 characters about as fast as others', all, async (kind) => {
    await readsFast(kind, 30)
  })

  test('250 unknown names in one message take about as long as one', slow, async () => {
    const names = Array.from({ length: 250 }, (_, n) => `nobody-${n}`)
    for (const kind of [user(), channel(), role()]) {
      const oneMs = await leastMs(() => readArg(list(kind), names[0]!))
      const manyMs = await leastMs(() => readArg(list(kind), names.join(' ')), { enoughMs: 3 * oneMs })
      expect(manyMs).toBeLessThan(Math.max(FAST_MS, 3 * oneMs))
    }
  })
})
