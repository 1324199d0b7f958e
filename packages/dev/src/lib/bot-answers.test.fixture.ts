import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { BotDraft } from './bot-folder.test.fixture.ts'
import { build } from './build/build.ts'
import { compileBot } from './load/compile-bot.ts'

const script = `const answers = []
for (const path of process.argv.slice(2)) answers.push(await (await import(path)).default())
console.log(JSON.stringify(answers))`

/** The answers of modules that Node loads by itself. */
async function answersOf(root: string, paths: readonly string[]): Promise<unknown> {
  const file = join(root, 'node_modules/answers.mjs')
  await writeFile(file, script)
  const urls = paths.map((path) => pathToFileURL(path).href)
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...urls])
  return JSON.parse(stdout)
}

/** The answers of commands in the order of `files`, in tests (as in dev), and in a build. */
export async function answers(draft: BotDraft, files: readonly string[]): Promise<{ tests: unknown; built: unknown }> {
  const { source, remove } = await compileBot(draft.root)
  for (const file of files) source.provide!(file)
  const tests = await answersOf(
    draft.root,
    files.map((file) => source.modules[file]!),
  )
  await remove()
  const outDir = join(draft.root, 'dist')
  await build(draft.root, outDir)
  return {
    tests,
    built: await answersOf(
      draft.root,
      files.map((file) => join(outDir, file.replace(/\.ts$/, '.mjs'))),
    ),
  }
}

/** Expects these answers of a bot's commands, by file, in tests and in a build. `linked`: folders of packages, by their names. */
export async function expectAnswers(
  files: Record<string, string>,
  expected: Record<string, unknown>,
  linked: Record<string, string> = {},
): Promise<void> {
  await using draft = await BotDraft.make(files)
  for (const [name, folder] of Object.entries(linked)) {
    const path = join(draft.root, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(join(draft.root, folder), path)
  }
  const found = await answers(draft, Object.keys(expected))
  expect(found).toEqual({ tests: Object.values(expected), built: Object.values(expected) })
}
