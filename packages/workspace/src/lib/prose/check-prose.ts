import { isCode, readText, sourceFiles } from '../source-files.ts'
import type { Violation } from '../checks/violation.ts'
import { countWords, joinLines, sentencesOf, type Paragraph, type ProseKind } from './paragraphs.ts'
import { CLAUSE_AS_SUBJECT, LONGEST_SENTENCE, PHRASES } from './phrases.ts'
import { readPage } from './read-page.ts'
import { readProgram } from './read-program.ts'

/** Folders and files whose texts are still to be rewritten, by kind. This list only gets shorter. */
export const TO_DO = 'packages/workspace/prose-to-do.json'

type ToDo = Partial<Record<ProseKind, string[]>>

/** Checks all texts for phrases on the list, and pages for sentences over the limit, except in exempt folders. */
export async function checkProse(root: string): Promise<Violation[]> {
  const files = await sourceFiles(root)
  const toDo: ToDo = files.includes(TO_DO) ? (JSON.parse(await readText(root, TO_DO)) as ToDo) : {}
  const entries = Object.entries(toDo).flatMap(([kind, paths]) => paths.map((path) => ({ kind, path, used: false })))
  const violations: Violation[] = []
  for (const found of await readViolations(root, files)) {
    const entry = entries.find(({ kind, path }) => kind === found.kind && isIn(found.file, path))
    if (entry) entry.used = true
    else violations.push(found.violation)
  }
  for (const { kind, path, used } of entries)
    if (!used)
      violations.push({ file: TO_DO, fact: `"${path}" has no violation left in its ${kind}`, fix: 'remove the entry' })
  return violations
}

/** Every violation in these folders or files, exempt or not. */
export async function listProse(
  root: string,
  folders: readonly string[],
): Promise<(Violation & { kind: ProseKind })[]> {
  const paths = folders.map((folder) => folder.replace(/^\.\/|\/$/g, ''))
  const files = (await sourceFiles(root)).filter((file) => paths.length === 0 || paths.some((path) => isIn(file, path)))
  return (await readViolations(root, files)).map(({ kind, violation }) => ({ ...violation, kind }))
}

interface Found {
  file: string
  kind: ProseKind
  violation: Violation
}

async function readViolations(root: string, files: readonly string[]): Promise<Found[]> {
  const found: Found[] = []
  for (const file of files) {
    // The API reports contain docstrings, which are checked in their source.
    const isPage = file.endsWith('.md') && !file.endsWith('/api.md')
    if (!isPage && (!isCode(file) || /\.generated\.ts$|\.d\.ts$/.test(file))) continue
    const text = await readText(root, file)
    const kept = exceptionsOf(text)
    for (const paragraph of isPage ? readPage(text) : readProgram(file, text))
      for (const { phrase, ...violation } of violationsIn(file, paragraph)) {
        const exceptions = kept.filter((one) => one.phrase === phrase.toLowerCase())
        const exception = exceptions.find(({ line }) => line === violation.line)
        if (exception) exception.used = true
        else if (!exceptions.some(({ line }) => line - 1 === violation.line))
          found.push({ file, kind: paragraph.kind, violation })
      }
    for (const { line, phrase, used } of kept)
      if (!used) {
        const violation = {
          file,
          line: line - 1,
          fact: `allows "${phrase}", which is not on the next line`,
          fix: 'remove the exception',
        }
        found.push({ file, kind: isPage ? 'docs' : 'comments', violation })
      }
  }
  return found
}

/** The phrases and sentences of a paragraph that break a rule. */
export function violationsIn(file: string, paragraph: Paragraph): (Violation & { line: number; phrase: string })[] {
  const { text, lineOf } = joinLines(paragraph)
  const found = PHRASES.flatMap(({ pattern, write }) =>
    Array.from(text.matchAll(pattern), ({ 0: match, index }) => {
      const phrase = match.trim()
      return { file, line: lineOf(index), phrase, fact: `"${phrase}"`, fix: `write: ${write}` }
    }),
  )
  for (const { at, text: sentence } of sentencesOf(text)) {
    const line = lineOf(at)
    const phrase = sentence.split(' ', 3).join(' ')
    if (CLAUSE_AS_SUBJECT.test(sentence))
      found.push({ file, line, phrase, fact: `"${phrase} …" is a clause as a subject`, fix: 'begin with a noun' })
    const words = countWords(sentence)
    if (paragraph.kind === 'docs' && words > LONGEST_SENTENCE)
      found.push({
        file,
        line,
        phrase,
        fact: `"${phrase} …" has ${words} words`,
        fix: `write sentences of ${LONGEST_SENTENCE} words at most`,
      })
  }
  return found
}

/** `// prose-ok: told` or `<!-- prose-ok: told -->` on a line of its own allows the phrase on the next line. */
function exceptionsOf(text: string): { line: number; phrase: string; used: boolean }[] {
  return text.split('\n').flatMap((line, index) => {
    const phrase = /^\s*(?:\/\/|<!--|\/\*) prose-ok: ([^*\n]+?)(?: -->| \*\/|$)/.exec(line)?.[1]
    return phrase === undefined ? [] : [{ line: index + 2, phrase: phrase.toLowerCase(), used: false }]
  })
}

const isIn = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`)
