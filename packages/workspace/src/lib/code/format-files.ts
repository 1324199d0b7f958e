import { join } from 'node:path'
import { check, getFileInfo, resolveConfig } from 'prettier'
import { readText } from '../source-files.ts'
import type { Violation } from '../violation.ts'

/** Prettier would change nothing. */
export async function formatFiles(root: string, files: string[]): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const file of files) {
    const wrong = await formatFile(root, file)
    if (wrong) violations.push({ file, ...wrong })
  }
  return violations
}

async function formatFile(root: string, file: string): Promise<Omit<Violation, 'file'> | undefined> {
  const filepath = join(root, file)
  const { ignored, inferredParser } = await getFileInfo(filepath, { ignorePath: join(root, '.prettierignore') })
  if (ignored || inferredParser === null) return undefined
  try {
    const options = { ...(await resolveConfig(filepath, { editorconfig: true })), filepath }
    if (await check(await readText(root, file), options)) return undefined
    return { fact: 'is not formatted', fix: `npx prettier --write ${file}` }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { line } = (error as { loc?: { start?: { line?: number } } }).loc?.start ?? {}
    const [fact = ''] = error.message.split('\n')
    return {
      ...(line ? { line } : {}),
      fact: `SyntaxError: ${fact.replace(/ \(\d+:\d+\)$/, '')}`,
      fix: 'correct the syntax',
    }
  }
}
