import { dirname, join } from 'node:path/posix'
import { readImports } from '../imports.ts'
import { readText, sourceFiles } from '../source-files.ts'
import { lineAt, type Violation } from '../checks/violation.ts'
import { projects } from './projects.ts'
import { type Tier, tiers } from './tiers.ts'

/** Node reports neither timers nor blocking processes to `guard.ts`. */
const REAL_TIME =
  /\bset(?:Timeout|Interval)\(|'(?:node:)?timers\b|\bexpect\.poll\(|\bvi\.wait(?:For|Until)\(|\bAbortSignal\.timeout\(|\bAtomics\.wait\(|\bsleep\(systemClock\b|\bsystemClock\.after\(/g
const BLOCKING_PROCESS = /\b(?:spawn|exec|execFile)Sync\(/g
/** `vi.waitFor` has its own default of a second. */
const OWN_LIMIT =
  /\bvi\s*\.wait(?:For|Until)\(|\btestTimeout:|\b(?:poll|test|it|describe)\b[^\n]*\{ timeout: \d|^ +\{ timeout: [\d_]+ \},$/gm
const TAG = /'(all\/[^'\n]+)'|@module-tag (all\/\S+)/g

/** Holds each test in the project that its name selects: a unit test waits for nothing, and only tests of the right project start processes. Tags name a tier. */
export async function checkSuite(root: string, known: readonly Tier[] = tiers): Promise<Violation[]> {
  const files = (await sourceFiles(root)).filter((file) => /\.(?:test|fixture)\.ts$/.test(file))
  const texts = new Map(await Promise.all(files.map(async (file) => [file, await readText(root, file)] as const)))
  const ofPackages = files.filter((file) => /^(?:packages\/[^/]+|create-bot)\/src\/.*\.test\.ts$/.test(file))
  const used = new Set<string>()
  const violations: Violation[] = []
  for (const file of ofPackages) {
    const project = projectOf(file)
    for (const part of withFixtures(file, texts)) {
      const found = (pattern: RegExp, fact: string, fix: string) => {
        for (const { index } of texts.get(part)!.matchAll(pattern))
          violations.push({ file: part, line: lineAt(texts.get(part)!, index), fact, fix })
      }
      const by = part === file ? '' : ` in a fixture of ${file}`
      if (part === file)
        found(
          OWN_LIMIT,
          'a test has a time limit of its own, and fails on a busy machine',
          'use expect.poll, and leave its limit and the limit of the test to the configuration',
        )
      if (project === projects.unit)
        found(REAL_TIME, `a unit test waits in real time${by}`, 'use a virtual clock, or name the file *.live.test.ts')
      if (project.forbidden.some((one) => one === 'child_process'))
        found(BLOCKING_PROCESS, `a test without processes starts one${by}`, 'name the file *.program.test.ts')
    }
  }
  for (const [file, text] of texts)
    for (const { 1: inQuotes, 2: ofFile, index } of text.matchAll(TAG)) {
      const name = inQuotes ?? ofFile!
      used.add(name)
      if (known.some((tier) => tier.name === name) || file.startsWith('packages/workspace/src/lib/suite/')) continue
      violations.push({
        file,
        line: lineAt(text, index),
        fact: `no tier is "${name}"`,
        fix: 'add it to suite/tiers.ts',
      })
    }
  const unused = known.filter(({ name }) => !used.has(name))
  const table = 'packages/workspace/src/lib/suite/tiers.ts'
  return [
    ...violations,
    ...unused.map(({ name }) => ({ file: table, fact: `no test is in "${name}"`, fix: 'remove it' })),
  ]
}

function projectOf(file: string) {
  const all = Object.values(projects)
  return all.find(({ ending }) => ending !== projects.unit.ending && file.endsWith(ending)) ?? projects.unit
}

/** The test and the fixtures that it imports, directly or through another fixture. */
function withFixtures(file: string, texts: ReadonlyMap<string, string>, found = new Set<string>()): Set<string> {
  found.add(file)
  for (const { specifier } of readImports(texts.get(file) ?? '')) {
    const path = specifier.startsWith('.') ? join(dirname(file), specifier) : ''
    if (texts.has(path) && !found.has(path)) withFixtures(path, texts, found)
  }
  return found
}
