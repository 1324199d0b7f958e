import { readText, sourceFiles } from './source-files.ts'
import { lineAt, type Violation } from './violation.ts'

/** A TypeScript block whose first line is a comment with a path from the root: `// examples/poll/commands/poll.ts`. */
const BLOCK = /^```ts\n\/\/ (?<path>[\w./-]+\/[\w.-]+\.ts)\n(?<code>[^]*?)^```$/gm

/** Code in the README that names a file is that file, so that what a reader copies is what the tests run. */
export async function checkDocFacts(root: string): Promise<Violation[]> {
  const files = await sourceFiles(root)
  if (!files.includes('README.md')) return []
  const text = await readText(root, 'README.md')
  const violations: Violation[] = []
  for (const { groups, index } of text.matchAll(BLOCK)) {
    const { path = '', code = '' } = groups ?? {}
    const place = { file: 'README.md', line: lineAt(text, index) }
    if (!files.includes(path)) {
      violations.push({ ...place, fact: `shows ${path}, which does not exist`, fix: 'correct the path' })
    } else if ((await readText(root, path)).trim() !== code.trim()) {
      violations.push({ ...place, fact: `shows another text than ${path} holds`, fix: 'copy the file into the block' })
    }
  }
  return violations
}
