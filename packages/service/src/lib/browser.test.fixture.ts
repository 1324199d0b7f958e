import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { describe } from 'vitest'
import { type Service, type ServiceOptions, startService } from './start-service.ts'
import type { World } from './world.ts'

/** The path of Chromium, or undefined. */
export const chromePath = [process.env['CHROME_PATH'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
)
const missing = 'NO BROWSER FOUND, the web page is NOT tested; set CHROME_PATH or install chromium'
if (chromePath === undefined && process.env['CI'] !== undefined) throw new Error(missing)
if (chromePath === undefined) console.error(`\n!!! ${missing}\n`)

/** `describe` for tests that need a browser. Without one, the tests are skipped with a warning, or fail if `CI` is set. */
export const describeInBrowser: (name: string, tests: () => void) => void = describe.skipIf(chromePath === undefined)

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const buildScript = fileURLToPath(new URL('../../scripts/build-page.mjs', import.meta.url))

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
}

/** A running service with its page in Chromium. For this package's own tests. */
export async function startBrowser(world: World, options: Pick<ServiceOptions, 'key'> = {}) {
  await promisify(execFile)(process.execPath, [buildScript])
  const service: Service = await startService({ port: 0, world, controls: true, ...options })
  const { chromium } = await import('playwright-core')
  const browser: Browser = await chromium.launch({
    executablePath: chromePath!,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  /** Errors in the pages: exceptions, blocked scripts, styles or requests. */
  const problems: string[] = []
  const call = async (path: string, authorization: string, method: string, body?: unknown) => {
    const answer = await fetch(service.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, never> & Record<string, string> }
  }
  return {
    service,
    problems,
    bot: (token: string, method: string, path: string, body?: unknown) =>
      call(`/v1${path}`, `Bot ${token}`, method, body),
    person: (name: string, method: string, path: string, body?: unknown) =>
      call(`/people/v1${path}`, `Person ${service.world.people[name]!.token}`, method, body),
    /** Opens a page, signed in if a name is given, otherwise at the sign-in screen. */
    async openAs(name: string | undefined, context: BrowserContextOptions = {}): Promise<Page> {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...context })
      page.setDefaultTimeout(60_000)
      page.on('pageerror', (error) => problems.push(error.message))
      // The page shows refusals, but the browser logs them as errors, too.
      page.on('console', (line) => {
        if (line.type() === 'error' && !line.text().includes('Failed to load resource')) problems.push(line.text())
      })
      await page.goto(service.page)
      if (name === undefined) return page
      await page.getByRole('button', { name, exact: true }).click()
      // Wait for an open channel: until then the page may still navigate by itself.
      await page.getByRole('textbox', { name: /^Message / }).waitFor()
      return page
    },
    async close(): Promise<void> {
      await browser.close()
      await service.close()
    },
  }
}

/** The windows that the journeys use. */
export const windows = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

/** The findings of axe for a page, or a part of it. */
export async function axeFindings(page: Page, within = 'body'): Promise<string[]> {
  await page.evaluate(await readFile(axeFile, 'utf8'))
  const { violations } = await page.evaluate<AxeResult>(`axe.run('${within}', { resultTypes: ['violations'] })`)
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
}
