import { channel, list, role, user } from '@botwright/framework'
import { describe, expect, test } from 'vitest'
import { argKinds, benignText, exportedArgKinds, hostileTexts, readArg } from './hostile-args.test.fixture.ts'
import { leastMs } from './processor-time.test.fixture.ts'

// The long form is packages/workspace/soak/hostile-texts.mjs.
/** Maximum ratio of the time for a hostile text to that for an ordinary one of the same length. */
const RATIO = 20
/** Anything faster is fine, regardless of the ratio. */
const FAST_MS = 50

describe('arguments, with 10,000 members, channels and roles', () => {
  test('cover every kind of argument that the framework exports', async () => {
    expect(Object.keys(argKinds).sort()).toEqual(await exportedArgKinds())
  })

  const cases = Object.keys(argKinds).flatMap((kind) => [30, 2000, 100_000].map((length) => ({ kind, length })))
  test.each(cases)('$kind() reads hostile texts of $length characters about as fast as others', async (one) => {
    const kind = argKinds[one.kind]!
    const benignMs = await leastMs(() => readArg(kind, benignText(one.length)))
    const mostMs = Math.max(FAST_MS, RATIO * benignMs)
    for (const text of hostileTexts(one.length)) {
      const ms = await leastMs(() => readArg(kind, text), { enoughMs: mostMs })
      expect(ms, `${JSON.stringify(text.slice(0, 40))}…`).toBeLessThanOrEqual(mostMs)
    }
  })

  test('250 unknown names in one message take about as long as one', async () => {
    const names = Array.from({ length: 250 }, (_, n) => `nobody-${n}`)
    for (const kind of [user(), channel(), role()]) {
      const oneMs = await leastMs(() => readArg(list(kind), names[0]!))
      const manyMs = await leastMs(() => readArg(list(kind), names.join(' ')), { enoughMs: 3 * oneMs })
      expect(manyMs).toBeLessThan(Math.max(FAST_MS, 3 * oneMs))
    }
  })
})
