import { basename } from 'node:path/posix'
import type { ProgramIo } from '../../../program/program-io.ts'
import { createTerminal, table } from '../terminal.ts'
import { docsPages, searchDocs } from './docs.ts'

/** Sections that are printed. */
const SHOWN = 3

/** `framework docs`: lists the pages, prints one, or prints the sections that fit a question. Resolves with the exit code. */
export function runDocs({ question, json, io }: { question: string; json: boolean; io: ProgramIo }): number {
  const { print, colors } = createTerminal(io)
  const pages = docsPages()
  const wanted = question.toLowerCase()
  // `tasks` means `framework/tasks`: the names without their package differ too.
  const page = pages.find(({ name }) => [name, basename(name)].some((one) => one.toLowerCase() === wanted))
  if (question === '') {
    const list = pages.map(({ name, title, about }) => ({ name, title, about }))
    if (json) print(JSON.stringify({ pages: list }))
    else for (const line of table(list.map(({ name, title }) => [name, title]))) print(line)
    return 0
  }
  if (page) {
    print(json ? JSON.stringify(page) : page.text)
    return 0
  }
  const matches = searchDocs(question)
  if (json) print(JSON.stringify({ matches }))
  else if (matches.length === 0) print(`no page contains these words; "framework docs" lists the pages`)
  else {
    for (const { page: name, text } of matches.slice(0, SHOWN)) print(`${colors.dim(name)}\n${text}\n`)
    print(colors.dim(`"framework docs ${matches[0]!.page}" prints the whole page`))
  }
  return matches.length === 0 ? 1 : 0
}
