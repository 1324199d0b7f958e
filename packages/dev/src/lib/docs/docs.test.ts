import { captureIo } from '@botwright/framework/start'
import { expect, test } from 'vitest'
import { runDocs } from './docs-command.ts'
import { docsPages } from './docs.ts'

const textOf = (page: string): string => docsPages().find(({ name }) => name === page)!.text

test('no page of the documentation has a placeholder of the site', () => {
  const left = docsPages().flatMap(({ name, text }) =>
    [...text.matchAll(/^<.*$/gm)].map(([line]) => `${name}: ${line}`),
  )
  expect(left).toEqual([])
})

test('the pages contain what the placeholders stand for', () => {
  expect(textOf('site/limits')).toMatch(/^\| Messages .*30/im)
  expect(textOf('site/agents')).toMatch(/^````markdown\n# /m)
  expect(textOf('languages/languages')).toContain('| Key | English | German |')
  expect(textOf('site/start')).toContain('(Picture: ann types /ping, and the bot answers with a button.)')
})

function docs(question: string): string {
  const io = captureIo({ cwd: '/', env: {} })
  expect(runDocs({ question, json: false, io })).toBe(0)
  return io.stdout.text
}

test('a page is printed by its name, with or without its package', () => {
  const page = `${textOf('framework/durable')}\n`
  expect(docs('framework/durable')).toBe(page)
  expect(docs('durable')).toBe(page)
  expect(docs('Durable')).toBe(page)
})

test('page names differ without their package', () => {
  const names = docsPages().map(({ name }) => name.replace(/^.*\//, '').toLowerCase())
  expect(names.length).toBe(new Set(names).size)
})

test('the matches of a search name the command that prints the first one in full', () => {
  const [page] = docs('send a reminder').split('\n')
  expect(docs('send a reminder')).toMatch(new RegExp(`\n"framework docs ${page}" prints the whole page\n$`))
})
