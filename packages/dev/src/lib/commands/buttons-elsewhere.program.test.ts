import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const more = `import {
  button,
} from '@botwright/framework'

export const more = button({ run: () => 'More.' })
`
const list = `import { row } from '@botwright/framework'
import { more } from '../lib/more.ts'
export const description = 'Lists'
export default () => ({ content: 'List', components: [row(more.button({ label: 'More' }))] })
`

test('check warns about a button outside of buttons/', async () => {
  await using draft = await BotDraft.make({
    ...{ 'lib/more.ts': more, 'commands/list.ts': list },
    'scripts/draft.ts': `import { button } from '@botwright/framework'\nconst a = = button({})\n`,
  })
  const { code, stdout } = await draft.framework(['check'])
  expect(stdout).toContain(
    '! lib/more.ts:5:21: this button has no file: make it the default export of a file under buttons/\n',
  )
  expect(code).toBe(0)
})

test('check does not warn about a button that a file in buttons/ exports', slow, async () => {
  await using draft = await BotDraft.make({
    ...{ 'lib/more.ts': more, 'commands/list.ts': list },
    'buttons/more.ts': "export { more as default } from '../lib/more.ts'\n",
    'lib/pages.ts': `import { button } from '@botwright/framework'\nexport const paged = () => button({ run: () => 'Page.' })\n`,
  })
  expect((await draft.framework(['check'])).stdout).not.toContain('has no file')
})
