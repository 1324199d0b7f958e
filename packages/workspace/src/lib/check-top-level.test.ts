import { expect, test } from 'vitest'
import { checkTopLevel } from './check-top-level.ts'
import { sampleFolder } from './sample-folder.ts'

const good = { 'package.json': '{}', 'README.md': '', '.npmrc': '', '.config/x.json': '', 'packages/a/b.ts': '' }

test('the fixed entries and dotfiles are fine, ignored files do not count', async () => {
  await using folder = await sampleFolder({
    ...good,
    '.gitignore': '*.log\n',
    'debug.log': '',
    'node_modules/a.js': '',
  })
  expect(await checkTopLevel(folder.root)).toEqual([])
})

test('anything else is refused, a folder once', async () => {
  await using folder = await sampleFolder({ ...good, 'eslint.config.mjs': '', 'scripts/a.sh': '', 'scripts/b.sh': '' })
  expect((await checkTopLevel(folder.root)).map(({ file }) => file)).toEqual(['eslint.config.mjs', 'scripts'])
})
