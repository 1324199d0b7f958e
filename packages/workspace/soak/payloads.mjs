// Hostile texts in the page: 1,000 known and 20,000 generated, each shown to a person in Chromium as message, card, button or name.
//   KNOWN=1200 GENERATED=20000 SEED=1 node packages/workspace/soak/payloads.mjs
// Needs the build and a Chromium (CHROME_PATH, or /usr/bin/chromium). Exit code 0: no script, no dialog, no request to another machine.
import { startService } from '@botwright/service'
import { chromium } from 'playwright-core'
import { payloadWorld, runPayloads } from '../dist/lib/payloads/payload-run.test.fixture.js'
import { generatedPayloads, knownPayloads } from '../dist/lib/payloads/payloads.test.fixture.js'
import { number, SEED } from './settings.mjs'

const KNOWN = number('KNOWN', knownPayloads.length)
const GENERATED = number('GENERATED', 20_000)
/** The number of payloads per page and service, to limit a browser's memory. */
const PER_PAGE = 2_100

const payloads = [...knownPayloads.slice(0, KNOWN), ...generatedPayloads(GENERATED, SEED)]
const browser = await chromium.launch({
  executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
const started = Date.now()
const faults = []
let shown = 0
let refused = 0
for (let from = 0; from < payloads.length; from += PER_PAGE) {
  const service = await startService({ port: 0, world: payloadWorld })
  const page = await browser.newPage()
  const run = await runPayloads(service, page, payloads.slice(from, from + PER_PAGE))
  await page.close()
  await service.close()
  shown += run.payloads
  refused += run.refused
  faults.push(...run.faults)
  console.error(`${shown} of ${payloads.length} shown, ${faults.length} faults`)
}
await browser.close()
console.log(
  JSON.stringify(
    {
      seed: SEED,
      shown,
      refused_links: refused,
      seconds: (Date.now() - started) / 1000,
      faults: faults.slice(0, 20),
    },
    null,
    2,
  ),
)
process.exit(faults.length === 0 ? 0 : 1)
