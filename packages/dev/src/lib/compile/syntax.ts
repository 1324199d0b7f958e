// The syntax trees of a bot's files, for checks that read code without running it.

import { SourceMap, type SourceMapPayload } from 'node:module'
import { extname } from 'node:path'
import { type AnyNode, type Node, parse } from 'acorn'
import { transform } from 'esbuild'

/** A file's code as JavaScript, with the places of its nodes in the source. */
export interface ParsedSource {
  program: AnyNode
  /** 1-based. */
  placeOf: (node: Node) => { line: number; column: number }
}

/** Parses JavaScript or TypeScript. Rejects if it has a syntax error. */
export async function parseSource(source: string, file: string): Promise<ParsedSource> {
  const extension = extname(file).slice(1)
  const loader = extension.endsWith('ts') ? 'ts' : extension === 'tsx' || extension === 'jsx' ? extension : 'js'
  const { code, map } = await transform(source, { loader, sourcemap: 'external', sourcefile: file, target: 'node20' })
  const origins = new SourceMap(JSON.parse(map) as SourceMapPayload)
  return {
    program: parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowReturnOutsideFunction: true,
    }),
    placeOf(node) {
      const { line, column } = node.loc!.start
      const entry = origins.findEntry(line - 1, column)
      return 'originalLine' in entry
        ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
        : { line, column: column + 1 }
    },
  }
}
