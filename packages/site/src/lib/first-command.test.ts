import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { firstCommand, pagesWithCommands, withFirstCommand } from './first-command.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('every page has the command that works at present', () => {
  const wrong = pagesWithCommands(root).filter((page) => {
    const text = readFileSync(page, 'utf8')
    return withFirstCommand(text) !== text
  })
  // To fix them, run node packages/site/scripts/first-command.mjs after the compiler.
  expect(wrong).toEqual([])
})

test('the home page, the README and the first guides begin with the same command', () => {
  const { published, note, registry, checkout } = firstCommand
  const command = `${published ? registry : checkout} my-bot`
  for (const page of [
    'README.md',
    'create-bot/README.md',
    'packages/site/docs/start.md',
    'packages/site/docs/create-bot.md',
  ]) {
    const text = read(page)
    expect(/```sh\n(npx|npm create) .*my-bot$/m.exec(text)?.[0], page).toBe(`\`\`\`sh\n${command}`)
    expect(text.includes(note), `${page} explains the checkout`).toBe(!published)
  }
})

test('the switch changes a command with and without options, both ways, and removes the note', () => {
  const before = `${firstCommand.note}\n\n\`npx <this checkout>/create-bot my-bot --template full\`, \`npx <this checkout>/create-bot my-bot\``
  const after = '`npm create @botwright/bot my-bot -- --template full`, `npm create @botwright/bot my-bot`'
  expect(withFirstCommand(before, { ...firstCommand, published: true })).toBe(after)
  expect(withFirstCommand(after, { ...firstCommand, published: false })).toBe(before.replace(/^.*\n\n/, ''))
})
