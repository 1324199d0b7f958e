// @module-tag all/site
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string | undefined
  }
}

const folder = fileURLToPath(new URL('..', import.meta.url))

/** The content at an address of the built site. */
const built = (path: string) => readFile(join(folder, 'dist/site', path), 'utf8')

const wanted: Record<string, string> = {
  button: '/guides/buttons',
  buttons: '/guides/buttons',
  state: '/guides/state',
  migration: '/guides/state',
  test: '/testing',
  testing: '/testing',
  cooldown: '/guides/guards',
  deploy: '/deploying/production',
  cluster: '/deploying/cluster',
  clusters: '/deploying/cluster',
  upgrade: '/deploying/upgrading',
  'store data': '/guides/state',
  'use my own database': '/guides/resources',
  'bot not responding': '/problems',
  'button does nothing': '/problems',
  'This interaction failed': '/problems',
  'what happens on crash': '/delivery/survives',
  'what survives a restart': '/delivery/survives',
  'write tests': '/testing',
  'ask a question': '/guides/conversations',
  'wait for days': '/guides/durable',
  'only for admins': '/guides/guards',
  pagination: '/guides/buttons',
  'receive a webhook': '/guides/routes',
  'environment variables': '/guides/environment',
  translate: '/guides/languages',
  'files in the build': '/guides/files',
  'native packages': '/guides/files',
  'read a file': '/guides/files',
  assets: '/guides/files',
  'save data per user': '/guides/state',
  leaderboard: '/guides/state',
  'which feature do I use': '/choose',
  'reply, ask, buttons, durable, task': '/choose',
  'ask or durable': '/choose',
  'task or durable': '/choose',
  'how to deploy': '/deploying/production',
  'go live': '/deploying/production',
  'thread crashes': '/delivery/survives',
  'what survives a deployment': '/delivery/survives',
  'test a button': '/testing',
  'unit test': '/testing',
  postgres: '/guides/resources',
  'connect to a database': '/guides/resources',
  'http endpoint': '/guides/routes',
  'receive http requests': '/guides/routes',
  'call an external api': '/guides/http',
  'make an http request': '/guides/http',
  'run in production': '/deploying/production',
  'schedule a message': '/guides/tasks',
  'send a message every day': '/guides/tasks',
  'edit a message': '/guides/sending',
  'how many messages per minute': '/delivery/limits',
  'too many requests': '/delivery/limits',
  'kick a member': '/guides/guards',
  'ban a user': '/guides/guards',
  'stream an ai answer': '/guides/sending',
  'answer with openai': '/guides/sending',
  'backup data': '/deploying/upgrading',
  'rollback deployment': '/deploying/upgrading',
  'bot is offline': '/problems',
  'modal form': '/coming-from/cannot-do',
  'dropdown menu': '/coming-from/cannot-do',
  'optional argument': '/guides/arguments',
  'how to send a dm': '/guides/sending',
}

/** The pages of the subjects that most people look for. */
const subjects = [
  ...['/guides/state', '/choose', '/deploying/production', '/delivery/survives', '/testing', '/guides/resources'],
  ...['/guides/files', '/guides/routes', '/guides/http'],
]

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string }[] }[]
}

/** A section in the search results, with the words that matched. */
interface Result {
  id: string
  match: Record<string, string[]>
}

/** Runs the search of the built site as its pages do: returns ids of sections, the best first. */
async function searchOf(chunks: string): Promise<(words: string) => Result[]> {
  const ofVitepress = createRequire(createRequire(import.meta.url).resolve('vitepress/package.json'))
  const { default: MiniSearch } = (await import(pathToFileURL(ofVitepress.resolve('minisearch')).href)) as {
    default: { loadJSON(json: string, options: object): { search(words: string): Result[] } }
  }
  const name = (await readdir(chunks)).find((file) => file.startsWith('@localSearchIndex'))!
  const { default: index } = (await import(pathToFileURL(join(chunks, name)).href)) as { default: string }
  const { indexOptions, searchOptions } = (await import(
    pathToFileURL(join(folder, '.vitepress/search.mjs')).href
  )) as Record<'indexOptions' | 'searchOptions', object>
  const search = MiniSearch.loadJSON(index, { fields: ['title', 'titles', 'text'], ...indexOptions, searchOptions })
  return (words) => search.search(words)
}

test('builds the site without dead links, warnings, or public names without a docstring', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'bin/docs.mjs'), 'build'])
  expect(
    stderr.split('\n').filter((line) => line.trim() !== '' && !/building client|rendering pages/.test(line)),
  ).toEqual([])
  expect(stdout).toContain('the site is in')

  // Written pages, pages generated from the contract, docstrings and examples, and the texts for language models.
  expect(await built('guides/buttons.html')).toContain('<p class="file">buttons/vote.ts</p>')
  expect(await built('interface/messages.html')).toContain('ctx.api.messages.create')
  // A page links to the file that it is written from; a generated page has none.
  expect(await built('guides/buttons.html')).toContain('/edit/main/packages/framework/docs/buttons.md"')
  expect(await built('interface/messages.html')).not.toContain('/edit/main/')
  expect(await built('reference/framework/commands.html')).toContain('id="command"')
  expect(await built('examples/dice.html')).toContain('commands/roll.ts')
  expect(await built('delivery/limits.html')).toContain('30 in 1 minute per bot')
  expect(await built('llms.txt')).toMatch(/^- \[Buttons\]\(\/guides\/buttons\.md\): Add a file under/m)
  expect(await built('llms-full.txt')).toContain('## ERR_UNKNOWN_OUTCOME')
  expect(existsSync(join(folder, 'dist/site/guides/buttons.md'))).toBe(true)
  expect(await built('AGENTS.md')).toContain('# Working on this bot')

  // Pages for bot authors come before pages about internals.
  const search = await searchOf(join(folder, 'dist/site/assets/chunks'))
  const places = Object.fromEntries(
    Object.keys(wanted).map((words) => [words, search(words)[0]?.id.replace(/#.*/, '')]),
  )
  expect(places).toEqual(wanted)
  const house = /^\/reference\/(?!framework|testing)|^\/interface/
  for (const words of Object.keys(wanted))
    expect(
      search(words)
        .slice(0, 2)
        .filter(({ id }) => house.test(id)),
    ).toEqual([])

  // Every section with the whole word comes before every section with only a longer or a similar word.
  for (const word of ['test', 'state', 'row', 'command', 'cooldown', 'migration']) {
    const whole = search(word).map(({ match }) => match[word] !== undefined)
    expect(whole, word).toContain(true)
    expect(whole.lastIndexOf(true), word).toBeLessThan(whole.includes(false) ? whole.indexOf(false) : whole.length)
  }
})

/** Counts the page, its scripts and styles, compressed as hosts send them, and its picture. */
test('the home page is small', async () => {
  const html = await built('index.html')
  const tags = [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="\/(?<file>[^"]+\.(?:js|css|svg))"/g)]
  const files = new Set(tags.map(({ groups }) => groups!['file']!))
  expect([...files].filter((file) => file.endsWith('.js')).length).toBeGreaterThan(2)
  const read = (file: string) => readFile(join(folder, 'dist/site', file))
  const texts = await Promise.all(['index.html', ...files].map(read))
  const picture = await read('pictures/page-light.webp')
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, picture.length)
  expect(bytes).toBeLessThan(160_000)
})

test('without an address, the site has no sitemap, and no page names a host of its own', async () => {
  expect(existsSync(join(folder, 'dist/site/sitemap.xml'))).toBe(false)
  const html = await built('index.html')
  expect(html).toContain('<meta property="og:title" content="Botwright: TypeScript bots for chat">')
  expect(html).not.toMatch(/og:(?:url|image)/)
})

/** The endpoint of the Chromium that all browser tests share. */
const endpoint = inject('chromium')

describe.skipIf(endpoint === undefined)('the built site in a browser', () => {
  let browser: Browser
  let server: Server
  const problems: string[] = []

  beforeAll(async () => {
    const { serve } = await import('vitepress')
    ;({ server } = await serve({ root: folder, port: 0 }))
    browser = await chromium.connect(endpoint!)
  })
  afterAll(async () => {
    await browser.close()
    server.close()
  })

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('dialog', (dialog) => problems.push(dialog.message()))
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
    // Keys and clicks work once Vue has taken over the rendered page.
    await page.waitForFunction('document.querySelector("#app").__vue_app__')
    return page
  }

  test('the home page shows the install line and the demo without scrolling', async () => {
    const page = await open()
    expect(await page.title()).toBe('Botwright: TypeScript bots for chat')
    await page.getByRole('button', { name: 'Play the demo' }).waitFor()
    await expect.poll(() => page.locator('.home-demo .message').count()).toBe(4)
    for (const part of ['.install-line', '.home-demo']) {
      const { y, height } = (await page.locator(part).boundingBox())!
      expect(y + height, part).toBeLessThan(900)
    }
    expect(await page.getByRole('link', { name: 'Source code on GitHub' }).first().getAttribute('href')).toMatch(
      /^https:\/\/github\.com\//,
    )
  })

  test('the demo plays, and stops when it is paused', async () => {
    const page = await open({ reducedMotion: 'no-preference' })
    const messages = page.locator('.home-demo .message')
    await expect.poll(() => messages.count()).toBe(1)
    await expect.poll(() => messages.count()).toBe(4)
    await page.getByRole('button', { name: 'Pause the demo' }).click()
    await page.getByRole('button', { name: 'Play the demo' }).waitFor()
  })

  test('the button beside the install line copies the command and announces it', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await expect.poll(() => page.locator('.install-line [role=status]').innerText()).toBe('Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await page.locator('.install-line code').innerText(),
    )
  })

  test('the search shows page, heading and excerpt, and opens a result with the keyboard', async () => {
    const page = await open()
    await page.keyboard.press('Control+k')
    const query = page.getByRole('searchbox')
    await query.fill('button')
    const first = page.locator('.result').first()
    await expect.poll(() => first.locator('.excerpt mark').allInnerTexts()).toContain('buttons')
    expect(await first.locator('.titles').innerText()).toContain('Buttons')
    const second = await page.locator('.result').nth(1).getAttribute('href')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname + url.hash === second)
  })

  test('the search treats markup in a query as text', async () => {
    const page = await open()
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox').fill('<img src=x onerror=alert(1)>')
    await page.locator('.result, .no-results').first().waitFor()
    expect(await page.locator('.VPLocalSearchBox img[src=x]').count()).toBe(0)
    await page.getByRole('searchbox').fill('qqzzxx<b>')
    await expect.poll(() => page.locator('.no-results').innerText()).toContain('qqzzxx<b>')
    expect(problems).toEqual([])
  })

  test.each(['/', '/start', '/guides/buttons'])('%s has one main landmark', async (path) => {
    const page = await open()
    await page.goto(new URL(path, page.url()).href)
    expect(await page.getByRole('main').count()).toBe(1)
    expect(await page.getByRole('banner').count()).toBe(1)
    expect(await page.getByRole('contentinfo').count()).toBe(1)
  })

  test('a link that leads nowhere offers the search and the home page', async () => {
    const page = await open()
    await page.goto(new URL('/no/such/page', page.url()).href)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByText('The search at the top finds it').waitFor()
    await page.getByRole('link', { name: 'Go to the home page' }).click()
    await page.waitForURL((url) => url.pathname === '/')
  })

  test('every subject that most people look for is one click from the home page', async () => {
    const page = await open()
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main a')].map((link) => link.getAttribute('href'))`,
    )
    for (const wantedPage of new Set(subjects)) expect(links, wantedPage).toContain(wantedPage)
  })

  /** Findings in VitePress's own navigation, which the theme cannot change. */
  const ofVitepress = ['label-content-name-mismatch', 'nested-interactive']

  test.each(['light', 'dark'] as const)('axe finds nothing serious in the %s pages', async (colorScheme) => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    const page = await open({ colorScheme })
    for (const path of ['/', '/start', '/guides/buttons', '/interface/messages', '/reference/framework/commands']) {
      await page.goto(new URL(path, page.url()).href)
      // VitePress names its switch when the page has loaded its script.
      await page.locator('.VPSwitchAppearance:not([title=""])').first().waitFor({ state: 'attached' })
      await page.evaluate(axe)
      const { violations } = await page.evaluate<AxeResult>(`axe.run('body', { resultTypes: ['violations'] })`)
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      const findings = serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${path} ${id}: ${html}`))
      expect(findings.filter((text) => !ofVitepress.some((id) => text.includes(` ${id}: `)))).toEqual([])
    }
  })
})
