import { expect, test } from 'vitest'
import { sampleFolder } from './sample-folder.ts'
import { isCode, isTestOrBuildFile, sourceFiles } from './source-files.ts'

test('leaves out files matched by the root .gitignore, at every depth', async () => {
  await using folder = await sampleFolder({
    '.gitignore': '# built\ndist/\n*.log\npackages/service/page/\n.env\n',
    ...{ 'a.ts': '', '.npmrc': '', 'packages/x/src/dist.ts': '', 'packages/other/page/a.html': '' },
    ...{ 'packages/x/dist/a.js': '', 'x/debug.log': '', 'packages/service/page/a.html': '', 'packages/x/.env': '' },
    ...{ '.git/config': '', 'packages/x/node_modules/a/index.js': '' },
  })
  expect(await sourceFiles(folder.root)).toEqual([
    ...['.gitignore', '.npmrc', 'a.ts', 'packages/other/page/a.html', 'packages/x/src/dist.ts'],
  ])
})

test('throws on an unsupported rule in .gitignore', async () => {
  await using folder = await sampleFolder({ '.gitignore': '!keep\n' })
  await expect(sourceFiles(folder.root)).rejects.toThrow('"!keep"')
})

test('distinguishes kinds of files', () => {
  expect(['a.ts', 'a.mjs', 'a.tsx', 'a.json', 'a.d.ts.map', 'a.md'].filter(isCode)).toEqual(['a.ts', 'a.mjs', 'a.tsx'])
  const build = ['x/a.test.ts', 'x/a.test-d.ts', 'x/scripts/b.mjs', 'x/vitest.config.ts', 'x/src/a.ts', 'x/testing.ts']
  expect(build.filter(isTestOrBuildFile)).toEqual(build.slice(0, 4))
})
