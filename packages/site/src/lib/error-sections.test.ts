import { type ErrorCode, errorCodes, errorPage } from '@botwright/protocol'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const page = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8')

test('every code of an error has its section, and no section is of a code that is gone', () => {
  const sections = [...page.matchAll(/^## (?<code>ERR_\w+)$/gm)].map(({ groups }) => groups!['code'])
  expect(sections).toEqual(Object.keys(errorCodes))
})

test.each(Object.keys(errorCodes))('%s: what it means, where it usually comes from, and what to do', (code) => {
  const [, section = ''] = page.split(`## ${code}\n`)
  const [text = ''] = section.split('\n## ')
  expect([...text.matchAll(/^\*\*(?<part>\w+)\.\*\* \S/gm)].map(({ groups }) => groups!['part'])).toEqual([
    ...['Means', 'Usually', 'Fix'],
  ])
})

test('the address that a command prints is that of the section, in the repository that package.json names', async () => {
  const file = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8')
  const { repository } = JSON.parse(file) as { repository: { url: string } }
  const home = repository.url.replace(/^git\+(.*)\.git$/, '$1')
  for (const code of Object.keys(errorCodes) as ErrorCode[])
    expect(errorPage(code)).toBe(`${home}/blob/main/packages/site/docs/errors.md#${code.toLowerCase()}`)
})
