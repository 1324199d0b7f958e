import { readConfig } from '@botwright/framework'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const page = await readFile(new URL('../docs/limits.md', import.meta.url), 'utf8')

test("the page lists the limits of a bot's configuration", async () => {
  const [, table = ''] = page.split('## Limits of the bot itself')
  const rows = [...table.matchAll(/^\| `(?<field>\w+)` +\| (?<value>\d+) +\|/gm)]
  expect(Object.fromEntries(rows.map(({ groups }) => [groups!['field'], Number(groups!['value'])]))).toEqual(
    (await readConfig(undefined)).limits,
  )
})
