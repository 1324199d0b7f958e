import { fileURLToPath } from 'node:url'
import { checkApi } from './lib/api/check-api.ts'
import { checkFloors } from './lib/checks/check-floors.ts'
import { checkNames } from './lib/checks/check-names.ts'
import { checkReadmes } from './lib/checks/check-readmes.ts'
import { checkSizes } from './lib/checks/check-sizes.ts'
import { checkTopLevel } from './lib/checks/check-top-level.ts'
import { checkTraces } from './lib/checks/check-traces.ts'
import { checkVersions } from './lib/checks/check-versions.ts'
import { checkFormat } from './lib/code/check-format.ts'
import { checkLint } from './lib/code/check-lint.ts'
import { checkTypes } from './lib/code/check-types.ts'
import { checkUnused } from './lib/code/check-unused.ts'
import { checkDocFacts } from './lib/checks/doc-facts.ts'
import { checkManifests } from './lib/publishing/check-manifests.ts'
import { checkPatterns } from './lib/patterns/check-patterns.ts'
import { checkProse } from './lib/prose/check-prose.ts'
import { describeResult, describeViolations, runChecks } from './lib/checks/run-checks.ts'
import { checkOlderMajors } from './lib/supply/check-older-majors.ts'
import { checkLockFiles } from './lib/supply/check-lock-files.ts'
import { checkSuite } from './lib/suite/check-suite.ts'
import { checkWorkflows } from './lib/supply/check-workflows.ts'
import { checkStructure } from './lib/structure/check-structure.ts'
import { checkParts } from './lib/structure/sizes-of-parts.ts'
import { describeCoverage, specCoverage, type SpecCoverage } from './lib/checks/spec-coverage.ts'

// `npm run check`: prints one line per check, the rows of the specification with their tests, and every violation.
const root = fileURLToPath(new URL('../../../', import.meta.url))
let coverage: SpecCoverage | undefined

const light = {
  floors: checkFloors,
  structure: checkStructure,
  parts: checkParts,
  sizes: checkSizes,
  'file names': checkNames,
  'top level': checkTopLevel,
  traces: checkTraces,
  versions: checkVersions,
  'older majors': checkOlderMajors,
  manifests: checkManifests,
  workflows: checkWorkflows,
  'lock files': checkLockFiles,
  readmes: checkReadmes,
  suite: checkSuite,
  'doc facts': checkDocFacts,
  prose: checkProse,
  patterns: checkPatterns,
  'spec coverage': async (folder: string) => {
    coverage = await specCoverage(folder)
    return [...coverage.violations, ...coverage.missing]
  },
}
// These read what the compiler wrote: declarations, and the compiled code that scripts import. So they run after the types.
const heavy = { types: checkTypes, unused: checkUnused, lint: checkLint, api: checkApi }
const results = await runChecks(root, [heavy, { format: checkFormat, ...light }], (result) =>
  console.log(describeResult(result)),
)

if (coverage) console.log(['', 'spec coverage:', ...describeCoverage(coverage)].join('\n'))
const lines = describeViolations(results)
for (const line of lines) console.log(line)
const count = results.reduce((sum, { violations }) => sum + violations.length, 0)
console.log(count === 0 ? '\nall checks passed' : `\n${count} violations`)
process.exitCode = count === 0 ? 0 : 1
