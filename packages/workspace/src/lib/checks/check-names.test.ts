import { expect, test } from 'vitest'
import { checkNames } from './check-names.ts'
import { sampleFolder } from '../sample-folder.ts'

test.each(['utils.ts', 'lib/helpers.test.ts', 'lib/Types.ts', 'types/message.ts', 'common.mjs', 'manager.ts'])(
  'rejects %s',
  async (path) => {
    await using folder = await sampleFolder({ [path]: '', 'lib/fine.ts': '' })
    expect(await checkNames(folder.root)).toMatchObject([{ file: path }])
  },
)

test('accepts names that describe the content', async () => {
  await using folder = await sampleFolder({ 'lib/event-types.ts': '', 'lib/client.ts': '', 'utils.md': '' })
  expect(await checkNames(folder.root)).toEqual([])
})
