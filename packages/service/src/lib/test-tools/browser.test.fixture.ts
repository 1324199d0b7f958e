import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { type Service, type ServiceOptions, startService } from '../start/start-service.ts'
import type { World } from '../world/world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string | undefined
  }
}
const endpoint = inject('chromium')

/** `describe` for tests that need a browser. Without one, the tests are skipped with a warning, or fail if `CI` is set. */
export const describeInBrowser: (name: string, tests: () => void) => void = describe.skipIf(endpoint === undefined)

const viewport = { width: 1280, height: 900 }
let connection: Promise<Browser> | undefined
const connect = () => (connection ??= chromium.connect(endpoint!))
/** Most tests open one page, in this context: a new one would cost Chromium a process. It draws only one page at a time. */
let usual: Promise<BrowserContext> | undefined
let isUsualFree = true

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
}

/** A running service, with pages in the Chromium that all tests share. For this package's own tests. */
export async function startBrowser(world: World, options: Pick<ServiceOptions, 'key' | 'clock'> = {}) {
  const service: Service = await startService({ port: 0, world, controls: true, ...options })
  const browser = await connect()
  const pages: Page[] = []
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
    /**
     * Opens a page, signed in if a name is given, otherwise at the sign-in screen. `path`: of a channel, if not the usual one.
     * `apart`: in a context of its own, like a page with options.
     */
    async openAs(
      name: string | undefined,
      { path, apart = false, ...options }: BrowserContextOptions & { path?: string; apart?: boolean } = {},
    ): Promise<Page> {
      const isUsual = isUsualFree && !apart && Object.keys(options).length === 0
      if (isUsual) isUsualFree = false
      const page = isUsual
        ? await (await (usual ??= browser.newContext({ viewport }))).newPage()
        : await browser.newPage({ viewport, ...options })
      if (isUsual) page.once('close', () => (isUsualFree = true))
      pages.push(page)
      page.setDefaultTimeout(60_000)
      page.on('pageerror', (error) => problems.push(error.message))
      // The page shows refusals, but the browser logs them as errors, too.
      page.on('console', (line) => {
        if (line.type() === 'error' && !line.text().includes('Failed to load resource')) problems.push(line.text())
      })
      await page.goto(path === undefined ? service.page : service.url + path)
      if (name === undefined) return page
      await page.getByRole('button', { name, exact: true }).click()
      // Wait for an open channel: until then the page may still navigate by itself.
      await page.getByRole('textbox', { name: /^Message / }).waitFor()
      return page
    },
    async close(): Promise<void> {
      await Promise.all(pages.map((page) => page.close()))
      await service.close()
    },
  }
}

/** The message input of the open channel. */
export const box = (page: Page): Locator => page.getByRole('textbox', { name: /^Message / })

/** Types a text and presses Enter. */
export async function enter(page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Enter')
}

/** Clicks a button that a row shows under the pointer. A log that scrolls moves the row away from the pointer: then it points again. */
export async function clickShown(row: Locator, name: string): Promise<void> {
  const button = row.getByRole('button', { name, exact: true })
  const clicks = async () => {
    await row.hover()
    return button.click({ timeout: 2000 }).then(
      () => 'clicked',
      (error: Error) => error.message,
    )
  }
  await expect.poll(clicks).toBe('clicked')
}

/** Sends a text, and waits for the response. Others may see the text before that. */
export async function say(page: Page, text: string): Promise<void> {
  await enter(page, text)
  await expect.poll(() => box(page).inputValue()).toBe('')
  await page.locator('.composer .send[aria-busy=false]').waitFor()
}

/** The windows that the journeys use. */
export const windows = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

/** As `it.each`; `npm test` runs only the first case, and the others are in the tier. */
export const itEach =
  <T>(cases: readonly T[]) =>
  (title: string, run: (one: T) => Promise<void>): void => {
    it.each(cases.slice(0, 1))(title, run)
    it.each(cases.slice(1))(title, { tags: 'all/browser' }, run)
  }

/** Until the colors of buttons have changed; a spinner never ends. */
const atRest = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished))`

/** The findings of axe for a page, or a part of it. `runOnly`: the ids of its rules; default: all. */
export async function axeFindings(page: Page, within = 'body', runOnly?: readonly string[]): Promise<string[]> {
  await page.evaluate(`${await readFile(axeFile, 'utf8')}; ${atRest}`)
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  const { violations } = await page.evaluate<AxeResult>(`axe.run('${within}', ${options})`)
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
}
