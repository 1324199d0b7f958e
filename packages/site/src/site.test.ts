import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('..', import.meta.url))

/** What is written under an address of the built site. */
const built = (path: string) => readFile(join(folder, 'dist/site', path), 'utf8')

const wanted: Record<string, string> = {
  button: '/start',
  buttons: '/guides/buttons',
  state: '/guides/state',
  migration: '/guides/state',
  test: '/testing',
  testing: '/testing',
  cooldown: '/guides/guards',
  deploy: '/deploying/production',
  upgrade: '/deploying/upgrading',
}

/** The search of the built site, as its pages have it: ids of sections for some words, the best first. */
async function searchOf(chunks: string): Promise<(words: string) => string[]> {
  const ofVitepress = createRequire(createRequire(import.meta.url).resolve('vitepress/package.json'))
  const { default: MiniSearch } = (await import(pathToFileURL(ofVitepress.resolve('minisearch')).href)) as {
    default: { loadJSON(json: string, options: object): { search(words: string): { id: string }[] } }
  }
  const name = (await readdir(chunks)).find((file) => file.startsWith('@localSearchIndex'))!
  const { default: index } = (await import(pathToFileURL(join(chunks, name)).href)) as { default: string }
  const { searchOptions } = (await import(pathToFileURL(join(folder, '.vitepress/search.mjs')).href)) as {
    searchOptions: object
  }
  const search = MiniSearch.loadJSON(index, { fields: ['title', 'titles', 'text'], searchOptions })
  return (words) => search.search(words).map(({ id }) => id)
}

test('the site is built: no dead link or anchor, no warning, no public name without a docstring', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'bin/docs.mjs'), 'build'])
  expect(
    stderr.split('\n').filter((line) => line.trim() !== '' && !/building client|rendering pages/.test(line)),
  ).toEqual([])
  expect(stdout).toContain('the site is in')

  // Pages that people wrote, that are made of the contract, of docstrings and of examples; and the texts for language models.
  expect(await built('guides/buttons.html')).toContain('<p class="file">buttons/vote.ts</p>')
  expect(await built('interface/messages.html')).toContain('ctx.api.messages.create')
  expect(await built('reference/framework/commands.html')).toContain('id="command"')
  expect(await built('examples/dice.html')).toContain('commands/roll.ts')
  expect(await built('delivery/limits.html')).toContain('30 in 1 minute per bot')
  expect(await built('llms.txt')).toMatch(/^- \[Buttons\]\(\/guides\/buttons\.md\): Add a file under/m)
  expect(await built('llms-full.txt')).toContain('## ERR_UNKNOWN_OUTCOME')
  expect(existsSync(join(folder, 'dist/site/guides/buttons.md'))).toBe(true)
  expect(await built('AGENTS.md')).toContain('# Working on this bot')

  // What somebody who writes a bot looks for stands before what the house is built of.
  const search = await searchOf(join(folder, 'dist/site/assets/chunks'))
  const places = Object.fromEntries(Object.keys(wanted).map((words) => [words, search(words)[0]?.replace(/#.*/, '')]))
  expect(places).toEqual(wanted)
  const house = /^\/reference\/(?!framework|testing)|^\/interface/
  for (const words of Object.keys(wanted))
    expect(
      search(words)
        .slice(0, 2)
        .filter((id) => house.test(id)),
    ).toEqual([])
})
