import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('the page of create-bot lists its templates and options as its help does', async () => {
  const page = await readFile(join(root, 'packages/site/docs/create-bot.md'), 'utf8')
  const { stdout: help } = await promisify(execFile)(process.execPath, [
    join(root, 'create-bot/bin/create-bot.mjs'),
    '--help',
  ])
  const [options = '', templates = ''] = help.split('Templates:')

  const told = [...templates.matchAll(/^ {2}(?<name>[a-z]+) +(?<what>\S.*)$/gm)].map(({ groups }) => [
    ...[groups!['name'], groups!['what']],
  ])
  const rows = [...page.matchAll(/^\| `(?<name>[a-z]+)` +\| (?<what>\S.*?) +\|$/gm)].map(({ groups }) => [
    ...[groups!['name'], groups!['what']],
  ])
  expect(rows).toEqual(told.filter(([name]) => name !== 'npm'))

  const long = (text: string) => [...text.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option)
  const known = new Set(long(options))
  for (const option of long(page)) expect(known).toContain(option)
  for (const option of known) if (!['--help', '--version'].includes(option)) expect(page).toContain(`\`${option}`)
})
