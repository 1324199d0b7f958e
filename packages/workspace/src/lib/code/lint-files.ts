import { ESLint } from 'eslint'
import { join } from 'node:path'
import type { Program } from 'typescript'
import { fromRoot } from '../run-tool.ts'
import type { Violation } from '../violation.ts'

/** ESLint says nothing at all: a warning counts like an error. Without a program, the rules ask the compiler as an editor's would. */
export async function lintFiles(root: string, files: string[], program?: Program): Promise<Violation[]> {
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: join(root, '.config/eslint.config.mjs'),
    overrideConfig: program
      ? [{ languageOptions: { parserOptions: { projectService: false, programs: [program] } } }]
      : [],
    // What the configuration leaves out is left out here too.
    warnIgnored: false,
  })
  const results = await eslint.lintFiles(files)
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, message, ruleId }) => ({
      file: fromRoot(root, filePath),
      ...(line === undefined ? {} : { line }),
      fact: message.replace(/\s+/g, ' ').replace(/\.$/, ''),
      fix: ruleId === null ? 'correct the syntax or the lint configuration' : `follow the rule ${ruleId}`,
    })),
  )
}
