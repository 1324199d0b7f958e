import { fileURLToPath } from 'node:url'
import { build } from '@botwright/dev'
import { expect, it } from 'vitest'

it('builds a folder that runs without a compiler', async () => {
  const folder = fileURLToPath(new URL('../readme-bot', import.meta.url))
  const { definitions, files } = await build(folder, `${folder}/.botwright/sample`)
  expect(definitions).toMatchObject([{ name: 'roll' }])
  expect(files.map(({ path }) => path)).toContain('commands/roll.mjs')
})
