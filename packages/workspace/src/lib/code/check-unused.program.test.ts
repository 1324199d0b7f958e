import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { formatViolation } from '../checks/violation.ts'
import { checkUnused } from './check-unused.ts'

const sample = (files: Record<string, string>) =>
  sampleFolder({
    '.config/knip.json': '{ "entry": ["src/index.ts"], "project": ["src/*.ts"] }',
    'package.json': '{ "type": "module", "dependencies": { "left-pad": "1.0.0" } }',
    'src/index.ts': `import { used } from './used.ts'\n\nexport const one = used\n`,
    'src/used.ts': `export const used = 1\n\nexport const spare = 2\nexport type Spare = number\n`,
    'src/forgotten.ts': `export const forgotten = 1\n`,
    ...files,
  })

test('reports files, exports, types and dependencies that nothing uses', async () => {
  await using folder = await sample({})
  expect((await checkUnused(folder.root)).map(formatViolation).toSorted()).toEqual([
    'package.json  nothing imports the dependency left-pad — remove it',
    'src/forgotten.ts  no program, test or script imports this file — delete it, or name its entry in .config/knip.json',
    'src/used.ts:3  no other file uses the export spare — remove "export", or delete it if nothing uses it',
    'src/used.ts:4  no other file uses the type Spare — remove "export", or delete it if nothing uses it',
  ])
})

test('fails if the tool cannot run, instead of finding nothing', { tags: ['all/processes'] }, async () => {
  await using folder = await sample({ '.config/knip.json': '{ "nonsense": 1 }' })
  await expect(checkUnused(folder.root)).rejects.toThrow(/knip ended with/)
})
