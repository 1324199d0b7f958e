import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The endpoint of the Chromium that all tests share; undefined if there is none on this computer. */
    chromium: string | undefined
  }
}

/** The first is Chromium without windows, which took 27 s of processor time for tests that took 43 s with the second. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome']

/** Global setup of the project `browser`: one Chromium for all files of a run. */
export default async function startChromium(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executablePath = [process.env['CHROME_PATH'], ...browsers].find(
    (path) => path !== undefined && path !== '' && existsSync(path),
  )
  if (executablePath === undefined) {
    const missing = 'NO BROWSER FOUND, the web pages are NOT tested; set CHROME_PATH or install chromium-headless-shell'
    if (process.env['CI'] !== undefined) throw new Error(missing)
    console.error(`\n!!! ${missing}\n`)
    project.provide('chromium', undefined)
    return undefined
  }
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--process-per-site']
  const server = await chromium.launchServer({ executablePath, args, host: '127.0.0.1' })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
