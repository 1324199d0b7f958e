import { dirname, posix } from 'node:path'
import { readText, sourceFiles } from '../source-files.ts'
import { lineAt, type Violation } from './violation.ts'

/** The pages that readers copy from: the README, each package's, and the pages of its docs. */
const PAGE = /^(?:README\.md|\.github\/.+\.md|create-bot\/README\.md|packages\/[^/]+\/(?:README\.md|docs\/.+\.md))$/

/** A block of TypeScript or JavaScript; its first line may be a comment with a path from the root: `// examples/poll/commands/poll.ts`. */
const BLOCK = /^(?<indent>[ \t]*)```(?:[jt]s|typescript)\b.*\n(?<code>[^]*?)^[ \t]*```[ \t]*$/gm
const PLACE = /^\/\/ (?<path>[\w./()[\]-]+\/[\w.-]+\.[jt]s)\n/
const LINK = /\]\((?<target>[^)\s]+)\)/g

/**
 * Checks that code on a page is a tested file or consecutive lines of one, so that readers copy tested code, and that links inside
 * the repository work. In docs, every block names its file; a README may also show a fragment.
 */
export async function checkDocFacts(root: string): Promise<Violation[]> {
  const files = await sourceFiles(root)
  const known = new Set(files)
  const violations: Violation[] = []
  for (const page of files.filter((file) => PAGE.test(file))) {
    const text = await readText(root, page)
    const wrong = (at: number, fact: string, fix: string) =>
      violations.push({ file: page, line: lineAt(text, at), fact, fix })
    for (const { groups, index } of text.matchAll(BLOCK)) {
      const { indent = '', code: indented = '' } = groups ?? {}
      const code = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      const place = PLACE.exec(code)
      const path = place?.groups?.['path'] ?? ''
      if (!place) {
        if (page.includes('/docs/'))
          wrong(index, 'shows code without a file', 'begin the block with a comment that names its tested file')
      } else if (!known.has(path)) {
        wrong(index, `shows ${path}, which does not exist`, 'correct the path')
      } else if (!holds(await readText(root, path), code.slice(place[0].length))) {
        wrong(index, `differs from ${path}`, 'copy the file into the block')
      }
    }
    for (const { groups, index } of withoutCode(text).matchAll(LINK)) {
      const { target = '' } = groups ?? {}
      if (!leadsSomewhere(target, page, files))
        wrong(index, `links to ${target}, which does not exist`, 'correct the link')
    }
  }
  return violations
}

/** Whether a file equals this code or contains it as consecutive lines, possibly indented. */
function holds(file: string, code: string): boolean {
  const lines = file.trimEnd().split('\n')
  const wanted = code.trim().split('\n')
  return lines.some((line, at) => {
    const indent = /^\s*/.exec(line)?.[0] ?? ''
    return wanted.every((text, i) => lines[at + i] === (text === '' ? '' : indent + text))
  })
}

/** Replaces code with spaces, so that all other characters keep their positions. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^[ \t]*```[^]*?^[ \t]*```[ \t]*$|`[^`\n]+`/gm, (code) => code.replaceAll(/[^\n]/g, ' '))

function leadsSomewhere(target: string, page: string, files: readonly string[]): boolean {
  if (/^(?:[a-z][a-z+.-]*:|#|\/\/)/i.test(target)) return true
  // Generated pages of the site: its build checks these.
  if (target.startsWith('/') && page.startsWith('packages/site/docs/')) return true
  const path = posix.join(dirname(page), target.replace(/[#?].*$/, '')).replace(/\/$/, '')
  return path === '.' || files.some((file) => file === path || file.startsWith(`${path}/`))
}
