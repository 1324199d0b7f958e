import { startService } from '@botwright/service'
import { chromium } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { payloadWorld, runPayloads } from './payload-run.test.fixture.ts'
import { generatedPayloads, knownPayloads } from './payloads.test.fixture.ts'

const endpoint = inject('chromium')
const SHORT = 100

// The long form, 1,000 known and 20,000 generated: packages/workspace/soak/payloads.mjs.
describe.skipIf(endpoint === undefined)('hostile texts in the page', () => {
  it(
    'do not run scripts, open dialogs or send requests to other machines, as message, card, button or name',
    { tags: 'all/browser' },
    async () => {
      await using service = await startService({ port: 0, world: payloadWorld })
      const browser = await chromium.connect(endpoint!)
      try {
        const seed = Date.now() % 1_000_000
        const step = Math.floor(knownPayloads.length / SHORT)
        const known = Array.from({ length: SHORT }, (_, index) => knownPayloads[index * step + (seed % step)]!)
        const run = await runPayloads(service, await browser.newPage(), [...known, ...generatedPayloads(SHORT, seed)])
        expect(run.faults, `seed ${seed}`).toEqual([])
        expect(run.payloads).toBe(2 * SHORT)
      } finally {
        await browser.close()
      }
    },
  )

  it('include at least 1,000 known attacks', () => {
    expect(knownPayloads.length).toBeGreaterThanOrEqual(1_000)
  })
})
