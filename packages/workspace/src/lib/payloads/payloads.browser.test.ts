import { startService } from '@botwright/service'
import { chromium } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { payloadWorld, runPayloads } from './payload-run.test.fixture.ts'
import { generatedPayloads, knownPayloads } from './payloads.test.fixture.ts'

const endpoint = inject('chromium')

/** Shows attacks to a person in a browser: so many known ones, and as many generated ones. */
async function expectHarmless(count: number): Promise<void> {
  await using service = await startService({ port: 0, world: payloadWorld })
  const browser = await chromium.connect(endpoint!)
  try {
    const seed = Date.now() % 1_000_000
    const step = Math.floor(knownPayloads.length / count)
    const known = Array.from({ length: count }, (_, index) => knownPayloads[index * step + (seed % step)]!)
    const run = await runPayloads(service, await browser.newPage(), [...known, ...generatedPayloads(count, seed)])
    expect(run.faults, `seed ${seed}`).toEqual([])
    expect(run.payloads).toBe(2 * count)
  } finally {
    await browser.close()
  }
}

// The long form, 1,000 known and 20,000 generated: packages/workspace/soak/payloads.mjs.
describe.skipIf(endpoint === undefined)('hostile texts in the page', () => {
  // One batch: each text that a bot or a person can set has an attack.
  it('do not run scripts, open dialogs or send requests to other machines, as message, card, button or name', () =>
    expectHarmless(7))

  it('do none of this with more attacks', { tags: 'all/browser' }, () => expectHarmless(100))

  it('include at least 1,000 known attacks', () => {
    expect(knownPayloads.length).toBeGreaterThanOrEqual(1_000)
  })
})
