import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { describe, inject, test } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string | undefined
  }
}
const endpoint = inject('chromium')

/** `describe` for tests that need a browser. Without one, the tests are skipped with a warning, or fail if `CI` is set. */
export const describeInBrowser: (name: string, tests: () => void) => void = describe.skipIf(endpoint === undefined)

/** A connection to the Chromium that all tests share; closing it closes its pages. */
export const connectToBrowser = (): Promise<Browser> => chromium.connect(endpoint!)

/** As `test.each`; `npm test` runs only the first case, and the others are in the tier. */
export const testEach =
  <T>(cases: readonly T[]) =>
  (title: string, run: (one: T) => Promise<void>): void => {
    test.each(cases.slice(0, 1))(title, run)
    test.each(cases.slice(1))(title, { tags: 'all/browser' }, run)
  }

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The findings of axe for a page, whose policy may allow no script but its own. */
export async function axeFindings(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `${await readFile(axeFile, 'utf8')}; axe.run()`,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
