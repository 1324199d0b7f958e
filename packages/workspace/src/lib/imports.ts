import ts from 'typescript'
import { lineAt } from './checks/violation.ts'

/** One `import`, `export … from`, `import()` or `require()`; type-only ones count like the others. */
export interface Import {
  specifier: string
  line: number
}

/** Every import of a program, read with the compiler's own scanner. */
export function readImports(text: string): Import[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName, pos }) => ({ specifier: fileName, line: lineAt(text, pos) }))
}

/** `zod/v4` → `zod`, `@hono/node-server/x` → `@hono/node-server`. */
export function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
