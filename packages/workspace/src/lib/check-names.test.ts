import { expect, test } from 'vitest'
import { checkNames } from './check-names.ts'
import { sampleFolder } from './sample-folder.ts'

test.each(['utils.ts', 'lib/helpers.test.ts', 'lib/Types.ts', 'types/message.ts', 'common.mjs', 'manager.ts'])(
  '%s is refused',
  async (path) => {
    await using folder = await sampleFolder({ [path]: '', 'lib/fine.ts': '' })
    expect(await checkNames(folder.root)).toMatchObject([{ file: path }])
  },
)

test('names that say what the file holds are fine', async () => {
  await using folder = await sampleFolder({ 'lib/event-types.ts': '', 'lib/client.ts': '', 'utils.md': '' })
  expect(await checkNames(folder.root)).toEqual([])
})
