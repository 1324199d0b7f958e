import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('..', import.meta.url))

/** What is written under an address of the built site. */
const built = (path: string) => readFile(join(folder, 'dist/site', path), 'utf8')

test('the site is built: no dead link or anchor, no warning, no public name without a docstring', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'bin/docs.mjs'), 'build'])
  expect(
    stderr.split('\n').filter((line) => line.trim() !== '' && !/building client|rendering pages/.test(line)),
  ).toEqual([])
  expect(stdout).toContain('the site stands in')

  // Pages that people wrote, that are made of the contract, of docstrings and of examples; and the texts for language models.
  expect(await built('guides/buttons.html')).toContain('<p class="file">buttons/vote.ts</p>')
  expect(await built('interface/messages.html')).toContain('ctx.api.messages.create')
  expect(await built('reference/framework/commands.html')).toContain('id="command"')
  expect(await built('examples/dice.html')).toContain('commands/roll.ts')
  expect(await built('delivery/limits.html')).toContain('30 in 1 minute per bot')
  expect(await built('llms.txt')).toMatch(/^- \[Buttons\]\(\/guides\/buttons\.md\): A file under/m)
  expect(await built('llms-full.txt')).toContain('## ERR_UNKNOWN_OUTCOME')
  expect(existsSync(join(folder, 'dist/site/guides/buttons.md'))).toBe(true)
  expect(await built('AGENTS.md')).toContain('# Working on this bot')
}, 120_000)
