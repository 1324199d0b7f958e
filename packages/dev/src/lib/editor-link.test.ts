import { expect, test } from 'vitest'
import { BotDraft } from './bot-folder.test.fixture.ts'
import { editorLinks } from './editor-link.ts'

test('links open a line of a file in VS Code, or in the editor of BOT_EDITOR_URL', async () => {
  await using draft = await BotDraft.make({ 'commands/pay#1 now.ts': '', 'bot.config.ts': '' })
  const path = draft.root.replaceAll('\\', '/').replace(/^\//, '')
  const inCode = editorLinks(draft.root, undefined)
  expect(inCode('commands/pay#1 now.ts:12')).toBe(`vscode://file/${path}/commands/pay%231%20now.ts:12`)
  expect(inCode('commands/pay#1 now.ts:12:7')).toBe(`vscode://file/${path}/commands/pay%231%20now.ts:12`)
  expect(inCode('bot.config.ts')).toBe(`vscode://file/${path}/bot.config.ts:1`)
  const inIdea = editorLinks(draft.root, 'idea://open?file=/{file}&line={line}')
  expect(inIdea('bot.config.ts:3')).toBe(`idea://open?file=/${path}/bot.config.ts&line=3`)
})

test('there is no link to a missing file, to one outside the folder, or with an empty BOT_EDITOR_URL', async () => {
  await using draft = await BotDraft.make({ 'bot.config.ts': '' })
  const linkOf = editorLinks(draft.root, undefined)
  for (const at of ['commands/gone.ts:1', '../../etc/passwd:1', '/etc/passwd', '', 'node:fs:3'])
    expect(linkOf(at), at).toBeUndefined()
  expect(editorLinks(draft.root, '')('bot.config.ts:1')).toBeUndefined()
})
