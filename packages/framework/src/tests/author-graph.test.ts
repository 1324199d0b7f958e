import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

/** The files that a bot's compiler reads for one import, besides the platform's types. */
function readFor(name: string): ts.SourceFile[] {
  const file = fileURLToPath(new URL('author.ts', import.meta.url))
  const options = { module: ts.ModuleKind.NodeNext, noLib: true, types: [] }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (path) => path === file || fileExists(path)
  host.getSourceFile = (path, version, ...rest) =>
    path === file ? ts.createSourceFile(file, `import '${name}'`, version) : getSourceFile(path, version, ...rest)
  return ts
    .createProgram([file], options, host)
    .getSourceFiles()
    .filter(({ fileName }) => fileName !== file)
}

test("a bot's compiler reads the framework's own types, and no library's", () => {
  const files = readFor('@botwright/framework')
  const packages = files.map(
    ({ fileName }) => /.*\/(?:packages|node_modules)\/((?:@[^/]+\/)?[^/]+)/.exec(fileName)?.[1],
  )
  expect([...new Set(packages)].sort()).toEqual(['framework'])
  // Reading takes most of the time for a small bot: 0.2 ms a file, and 1 ms for each 3,000 characters.
  expect(files.length).toBeLessThanOrEqual(108)
  expect(files.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(228_900)
})
