import { type ErrorCode, errorCodes, errorPage } from '@botwright/protocol'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const page = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8')

test('every error code has a section, and every section an error code', () => {
  const sections = [...page.matchAll(/^## (?<code>ERR_\w+)$/gm)].map(({ groups }) => groups!['code'])
  expect(sections).toEqual(Object.keys(errorCodes))
})

test.each(Object.keys(errorCodes))('%s: has a meaning, a usual cause and a fix', (code) => {
  const [, section = ''] = page.split(`## ${code}\n`)
  const [text = ''] = section.split('\n## ')
  expect([...text.matchAll(/^\*\*(?<part>[\w ]+)\.\*\* \S/gm)].map(({ groups }) => groups!['part'])).toEqual([
    ...['Meaning', 'Usual cause', 'Fix'],
  ])
})

test('a command prints the address of the section, in the repository of package.json', async () => {
  const file = await readFile(new URL('../../../../package.json', import.meta.url), 'utf8')
  const { repository } = JSON.parse(file) as { repository: { url: string } }
  const home = repository.url.replace(/^git\+(.*)\.git$/, '$1')
  for (const code of Object.keys(errorCodes) as ErrorCode[])
    expect(errorPage(code)).toBe(`${home}/blob/main/packages/site/docs/errors.md#${code.toLowerCase()}`)
})
