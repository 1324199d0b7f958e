import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failureDetails } from './failure-details.ts'

test('a failure has the lines of its file, unless the file was saved after the code was loaded', async () => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-failure-'))
  try {
    const file = join(root, 'a.ts')
    await writeFile(file, 'one\ntwo\n')
    await utimes(file, 1000, 1000)
    const frameOf = (loadedMs: number) => failureDetails(new Error('no'), root, 'a.ts:2', loadedMs).frame
    expect(frameOf(1_000_000)).toMatchObject({ line: 2, lines: expect.arrayContaining([{ number: 2, text: 'two' }]) })
    expect(frameOf(999_000)).toBeUndefined()
  } finally {
    await rm(root, { recursive: true })
  }
})
