// @module-tag all/hostile-texts
import { isUnbounded } from '@botwright/dev/patterns'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { acceptedPatterns } from '../patterns/accepted-patterns.ts'
import { keyOf } from '../patterns/check-patterns.ts'
import { collectPatterns, type Pattern } from '../patterns/collect-patterns.ts'
import { benignText, hostileTexts } from './hostile-args.test.fixture.ts'
import { leastMs } from './processor-time.test.fixture.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const LENGTH = 8000
/** Maximum ratio of the time for a hostile text to that for an ordinary one of the same length. */
const RATIO = 20
/** Anything faster is fine, regardless of the ratio: a quadratic pattern takes longer for this length. */
const FAST_MS = 10

/** Repetitions of a pattern's own literal characters, one by one and in their order. */
function runsOf({ source }: Pattern): string[] {
  const literal = [...new Set(source.replaceAll(/\\[a-zA-Z](?:\{[^}]*\})?/g, '').replaceAll(/[\\^$.*+?()[\]{}|]/g, ''))]
  const parts = [...literal, literal.join('')].filter((part) => part !== '')
  return parts.flatMap((part) => {
    const run = part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH)
    return [run, `${run.slice(0, -1)}\u0001`]
  })
}

// Patterns without unlimited repetition cannot be slow. Patterns on the list of exceptions read only short or trusted texts.
describe('every regular expression of the programs that users run', () => {
  let patterns: Pattern[]
  beforeAll(async () => {
    const all = await collectPatterns(root)
    const unbounded = all.filter((one) => !one.made && isUnbounded(one) && !Object.hasOwn(acceptedPatterns, keyOf(one)))
    patterns = [...new Map(unbounded.map((one) => [keyOf(one), one])).values()]
  })

  it('is found in the sources', () => {
    expect(patterns.length).toBeGreaterThan(100)
  })

  it('reads hostile texts about as fast as ordinary texts of the same length', async () => {
    const common = hostileTexts(LENGTH)
    const slow: string[] = []
    for (const pattern of patterns) {
      const search = (text: string) => () => new RegExp(pattern.source, pattern.flags).exec(text)
      const mostMs = Math.max(
        FAST_MS,
        RATIO * (await leastMs(search(benignText(LENGTH)), { enoughMs: FAST_MS / RATIO })),
      )
      for (const text of [...common, ...runsOf(pattern)]) {
        const ms = await leastMs(search(text), { enoughMs: mostMs })
        if (ms > mostMs)
          slow.push(`${pattern.file}: ${keyOf(pattern)} took ${ms} ms for ${JSON.stringify(text.slice(0, 20))}…`)
      }
    }
    expect(slow).toEqual([])
  })
})
