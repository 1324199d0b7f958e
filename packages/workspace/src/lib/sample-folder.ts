import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A temporary folder with the given files, removed at the end of the block: `await using folder = await sampleFolder({ 'a.ts': '' })`. */
export async function sampleFolder(files: Record<string, string>): Promise<{ root: string } & AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), 'botwright-sample-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

/** A package.json in this repository's style, for samples. */
export function manifest(name: string, dependencies: string[] = [], devDependencies: string[] = []): string {
  const list = (names: string[]) => Object.fromEntries(names.map((each) => [each, '0.1.0']))
  return JSON.stringify({
    name: `@botwright/${name}`,
    exports: { '.': './dist/index.js' },
    dependencies: list(dependencies),
    devDependencies: list(devDependencies),
  })
}
