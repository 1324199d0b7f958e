import { expect, test } from 'vitest'
import { checkTopLevel } from './check-top-level.ts'
import { sampleFolder } from '../sample-folder.ts'

const good = { 'package.json': '{}', 'README.md': '', '.npmrc': '', '.config/x.json': '', 'packages/a/b.ts': '' }

test('accepts the fixed entries and dotfiles, and skips ignored files', async () => {
  await using folder = await sampleFolder({
    ...good,
    '.gitignore': '*.log\n',
    'debug.log': '',
    'node_modules/a.js': '',
  })
  expect(await checkTopLevel(folder.root)).toEqual([])
})

test('rejects anything else, each folder once', async () => {
  await using folder = await sampleFolder({ ...good, 'eslint.config.mjs': '', 'scripts/a.sh': '', 'scripts/b.sh': '' })
  expect((await checkTopLevel(folder.root)).map(({ file }) => file)).toEqual(['eslint.config.mjs', 'scripts'])
})
