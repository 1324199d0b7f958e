// Mutation tests: changes one place of a source at a time, and counts how many of the changes a test of the same package notices.
//   node packages/workspace/bench/mutants.mjs --packages protocol,rest,events,framework --sample 75 --seed 7
// Nothing is written to the checkout: a plugin of one warm vitest passes on the changed source. The sample depends only on the seed and the
// sources. A first run of the tests finds which mutants each test file reaches. A mutant is killed if a test fails, or if a test file takes far
// longer than without it. Prints a table and the survivors. Tests may need the build.
//   --files '/(link|dispatch)\.ts$'   only sources whose path matches
//   --near 6                          only the 6 tests with the fewest imports between them and a source
//   --minutes 60                      when to stop
import '../bin/sources.mjs'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createVitest } from 'vitest/node'

const { apply, mutantsOf, parses } = await import('../src/lib/mutants/mutants-of.ts')
const { markMutants } = await import('../src/lib/mutants/mark-mutants.ts')
const { sample } = await import('../src/lib/mutants/sample.ts')
const { readImports } = await import('../src/lib/imports.ts')
const { isCode, sourceFiles } = await import('../src/lib/source-files.ts')
const { default: config } = await import(new URL('../../../.config/vitest.config.ts', import.meta.url).href)

const { values } = parseArgs({
  options: {
    packages: { type: 'string', default: 'protocol,rest,events,framework' },
    sample: { type: 'string', default: '75' },
    seed: { type: 'string', default: '7' },
    files: { type: 'string', default: '' },
    near: { type: 'string' },
    minutes: { type: 'string', default: '60' },
  },
})
const root = fileURLToPath(new URL('../../../', import.meta.url))
const packages = values.packages.split(',')
const endsAtMs = performance.now() + Number(values.minutes) * 60_000
const packageOf = (file) => file.split('/')[1]
const read = (file) => readFileSync(root + file, 'utf8')

/** The files with code that tests can reach. `worker-main` runs only in threads, which run the build. */
const isMutated = (file) =>
  /^packages\/framework\/src\/(?:author|link|bot|runtime)\/|^packages\/(?!framework\/)/.test(file) &&
  !/(?:\.test|\.test-d|fixture|\.generated|\.d)\.ts$|\/worker-main\.ts$/.test(file)

/** Programs that tests start run the build, which has no mutant. The tests of the command line start one each. */
const startsPrograms = (file) => /\.(?:program|browser|redis)\.test\.ts$|^packages\/framework\/src\/cli\//.test(file)

const files = (await sourceFiles(root)).filter((file) => /^packages\/[^/]+\/src\//.test(file) && isCode(file))
const mutants = packages.flatMap((name) => {
  const own = files.filter((file) => packageOf(file) === name && isMutated(file) && new RegExp(values.files).test(file))
  const found = own.flatMap((file) => mutantsOf(file, read(file)))
  const isValid = (one) => parses(one.file, apply(read(one.file), one))
  const chosen = sample(found, Number(values.sample), Number(values.seed), isValid)
  console.log(`${name}: ${chosen.length} of ${found.length} mutants`)
  return chosen.map((mutant) => ({ ...mutant, package: name }))
})
const mutated = new Set(mutants.map(({ file }) => file))
console.log(`seed ${values.seed}`)

/** The changed sources, which the plugin passes on instead of the files. */
const changed = new Map()
const plugin = {
  name: 'mutants',
  enforce: 'pre',
  transform: (_code, id) => changed.get(id.replace(/\?.*$/, '')),
}
const projects = config.test.projects.map((project) => ({ ...project, plugins: [...(project.plugins ?? []), plugin] }))
const vitest = await createVitest('test', {
  ...config.test,
  root,
  config: false,
  projects,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  fileParallelism: false,
  reporters: [{}],
})
vitest.logger.outputStream = vitest.logger.errorStream = process.stderr

/** Runs one test file in a process of its own. A run that is too long is ended. */
async function run(specification, limitMs) {
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const startedAtMs = performance.now()
  let late = false
  const ending = setTimeout(() => {
    late = true
    // The first request waits for the test, the second ends its process.
    void vitest.cancelCurrentRun('keyboard-input')
    void vitest.cancelCurrentRun('keyboard-input')
  }, limitMs)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification])
  clearTimeout(ending)
  const failed = unhandledErrors.length > 0 || testModules.some((module) => module.state() === 'failed')
  const errors = [...unhandledErrors, ...testModules.flatMap((module) => errorsOf(module))]
  return { failed, late, errors, ms: performance.now() - startedAtMs }
}

/** The messages of its failed tests. */
const errorsOf = (module) =>
  [module, ...module.children.allTests('failed')].flatMap((one) => one.errors?.() ?? one.result().errors ?? [])

function change(sources) {
  for (const file of [...changed.keys(), ...sources.keys()]) vitest.invalidateFile(file)
  changed.clear()
  for (const [file, text] of sources) changed.set(file, text)
}

/** The files that a test imports, directly or through others, with the number of imports between; of a package's name, its entry's source. */
const imports = new Map()
function distancesFrom(test) {
  const distances = new Map([[test, 0]])
  for (const [file, distance] of distances) {
    if (!imports.has(file))
      imports.set(
        file,
        readImports(read(file)).map(({ specifier }) => resolved(file, specifier)),
      )
    for (const next of imports.get(file))
      if (files.includes(next) && !distances.has(next)) distances.set(next, distance + 1)
  }
  return distances
}
const aliases = projects.flatMap(({ resolve }) => resolve?.alias ?? [])
function resolved(file, specifier) {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier)
  return aliases.find(({ find }) => find.test?.(specifier))?.replacement.slice(root.length)
}

const all = await vitest.globTestSpecifications()
const tests = all.flatMap((specification) => {
  const file = path.relative(root, specification.moduleId)
  if (startsPrograms(file) || !packages.some((name) => file.startsWith(`packages/${name}/src/`))) return []
  return [{ specification, file, distances: distancesFrom(file) }]
})
const nearest = [...mutated].flatMap((source) =>
  tests
    .filter(({ file, distances }) => distances.has(source) && packageOf(file) === packageOf(source))
    .sort((a, b) => a.distances.get(source) - b.distances.get(source) || a.distances.size - b.distances.size)
    .slice(0, values.near === undefined ? Infinity : Number(values.near)),
)
const candidates = tests.filter((test) => nearest.includes(test))

const folder = mkdtempSync(path.join(tmpdir(), 'botwright-mutants-'))
const reachedFile = path.join(folder, 'reached')
const mark = `(globalThis.reachedMutants ??= { seen: new Set(), add(number) {
  if (this.seen.has(number)) return
  this.seen.add(number)
  process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(reachedFile)}, number + '\\n')
} }).add`
  .replaceAll(/\s*\n\s*/g, ';')
  .replaceAll('{;', '{')
  .replaceAll(';}', '}')

try {
  await findTests()
  await runMutants()
  report()
} finally {
  rmSync(folder, { recursive: true, force: true })
  await vitest.close()
}

/** Runs all test files once, to learn which mutants each of them reaches. */
async function findTests() {
  for (const mutant of mutants) mutant.tests = []
  change(
    new Map(
      [...mutated].map((file) => {
        const own = new Map([...mutants.entries()].filter(([, one]) => one.file === file))
        return [root + file, markMutants(file, read(file), own, mark)]
      }),
    ),
  )
  for (const test of candidates) {
    writeFileSync(reachedFile, '')
    let { failed, errors, ms } = await run(test.specification, 600_000)
    // On a busy machine, once more.
    if (failed) ({ failed, errors, ms } = await run(test.specification, 600_000))
    if (failed) {
      console.log(`left out, because it fails without a mutant: ${test.file}: ${errors[0]?.message}`)
      continue
    }
    test.ms = ms
    for (const number of readFileSync(reachedFile, 'utf8').split('\n').filter(Boolean)) {
      const mutant = mutants[Number(number)]
      if (packageOf(test.file) === mutant.package) mutant.tests.push(test)
    }
    progress(`${test.file}: ${Math.round(ms)} ms`)
  }
}

async function runMutants() {
  for (const [number, mutant] of mutants.entries()) {
    if (performance.now() > endsAtMs) return
    change(new Map([[root + mutant.file, apply(read(mutant.file), mutant)]]))
    mutant.result = 'survived'
    // The nearest and fastest test first.
    const isNear = ({ file }) => (file.replace(/\..*/, '') === mutant.file.replace(/\..*/, '') ? 0 : 1)
    for (const test of mutant.tests.toSorted((a, b) => isNear(a) - isNear(b) || a.ms - b.ms)) {
      const { failed, late } = await run(test.specification, 5000 + 4 * test.ms)
      if (!failed && !late) continue
      mutant.result = late ? 'timed out' : 'killed'
      break
    }
    progress(`${number + 1} of ${mutants.length}: ${mutant.result}, ${describe(mutant)}`)
  }
}

function report() {
  console.log('\n| package | mutants | killed | timed out | survived | killed, % |\n|---|---|---|---|---|---|')
  for (const name of packages) {
    const own = mutants.filter((mutant) => mutant.package === name && mutant.result)
    const [killed, late, survived] = ['killed', 'timed out', 'survived'].map(
      (result) => own.filter((mutant) => mutant.result === result).length,
    )
    const share = Math.round(((killed + late) / own.length) * 1000) / 10
    console.log(`| ${name} | ${own.length} | ${killed} | ${late} | ${survived} | ${share} |`)
  }
  const survivors = mutants.filter(({ result }) => result === 'survived')
  console.log(`\n${survivors.length} survivors:`)
  for (const mutant of survivors) console.log(describe(mutant))
  const left = mutants.filter(({ result }) => !result).length
  if (left > 0) console.log(`${left} mutants did not run: the time was over`)
}

function describe({ file, line, original, replacement, tests }) {
  const short = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 100)
  return `${file}:${line}: ${short(original)} → ${short(replacement)}${tests.length > 0 ? '' : ' (no test runs it)'}`
}

function progress(text) {
  console.error(`${Math.round(performance.now() / 1000)} s: ${text}`)
}
