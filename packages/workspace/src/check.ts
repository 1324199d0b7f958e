import { fileURLToPath } from 'node:url'
import { checkApi } from './lib/api/check-api.ts'
import { checkCycles } from './lib/check-cycles.ts'
import { checkFloors } from './lib/check-floors.ts'
import { checkNames } from './lib/check-names.ts'
import { checkReadmes } from './lib/check-readmes.ts'
import { checkSizes } from './lib/check-sizes.ts'
import { checkTopLevel } from './lib/check-top-level.ts'
import { checkTraces } from './lib/check-traces.ts'
import { checkVersions } from './lib/check-versions.ts'
import { checkCode } from './lib/code/check-code.ts'
import { checkDocFacts } from './lib/doc-facts.ts'
import { checkManifests } from './lib/publishing/check-manifests.ts'
import { describeResult, describeViolations, runChecks, type CheckResult } from './lib/run-checks.ts'
import { describeCoverage, specCoverage, type SpecCoverage } from './lib/spec-coverage.ts'

// `npm run check`: one line a check, the rows of the specification with their tests, then every violation.
const root = fileURLToPath(new URL('../../../', import.meta.url))
let coverage: SpecCoverage | undefined

const light = {
  floors: checkFloors,
  cycles: checkCycles,
  sizes: checkSizes,
  'file names': checkNames,
  'top level': checkTopLevel,
  traces: checkTraces,
  versions: checkVersions,
  manifests: checkManifests,
  readmes: checkReadmes,
  'doc facts': checkDocFacts,
  'spec coverage': async (folder: string) => {
    coverage = await specCoverage(folder)
    return [...coverage.violations, ...coverage.missing]
  },
}
const show = (result: CheckResult) => console.log(describeResult(result))
const code: CheckResult[] = []
const [others] = await Promise.all([
  runChecks(root, [light], show),
  checkCode(root, (result) => {
    code.push(result)
    show(result)
  }),
])
// The report of what packages export reads their built declarations.
const results = [...others, ...code, ...(await runChecks(root, [{ api: checkApi }], show))]

if (coverage) console.log(['', 'spec coverage:', ...describeCoverage(coverage)].join('\n'))
const lines = describeViolations(results)
for (const line of lines) console.log(line)
const count = results.reduce((sum, { violations }) => sum + violations.length, 0)
console.log(count === 0 ? '\nall checks passed' : `\n${count} violations`)
process.exitCode = count === 0 ? 0 : 1
