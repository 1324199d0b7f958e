import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSource } from '../compile/syntax.ts'
import { durableFindings } from './durable-calls.ts'
import { resourceFindings } from './module-resources.ts'
import { unawaitedFindings } from './unawaited-calls.ts'

/** The warnings for the files of handlers, such as `commands/go.ts:5:9: …`. Their code has compiled before. */
export async function codeWarnings(
  root: string,
  handlers: readonly { file: string; durable?: boolean }[],
): Promise<string[]> {
  const warnings = handlers.map(async ({ file, durable }) => {
    const { program, placeOf } = await parseSource(await readFile(join(root, file), 'utf8'), file)
    const findings = [
      ...(durable ? durableFindings(program) : []),
      ...unawaitedFindings(program),
      ...resourceFindings(program, file),
    ]
    return findings
      .toSorted((a, b) => a.node.start - b.node.start)
      .map(({ node, message }) => {
        const { line, column } = placeOf(node)
        return `${file}:${line}:${column}: ${message}`
      })
  })
  return (await Promise.all(warnings)).flat()
}
