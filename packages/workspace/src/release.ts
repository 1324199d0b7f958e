import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { packAll } from './lib/publishing/pack.ts'
import { prepareRelease, publishRelease } from './lib/release/carry-out.ts'
import { gitIn } from './lib/release/git.ts'
import { describePlan, planRelease, ReleaseRefused } from './lib/release/plan.ts'
import { describePacked } from './lib/release/describe-packed.ts'

/*
 * `npm run release`: the next version of all packages, from their change files to the registry. The guide: .github/RELEASING.md.
 *   --dry-run   tells what would happen, and does none of it
 *   --prepare   commits and tags, and publishes nothing: what CI then publishes with provenance
 *   --as 1.0.0  another version than the changes ask for
 */
const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    prepare: { type: 'boolean', default: false },
    as: { type: 'string' },
    root: { type: 'string', default: fileURLToPath(new URL('../../../', import.meta.url)) },
  },
})
const { root } = values
const run = promisify(execFile)
/** A CI service that can say who it is lets npm sign where the packages were built. */
const provenance = ['ACTIONS_ID_TOKEN_REQUEST_URL', 'SIGSTORE_ID_TOKEN'].some((name) => process.env[name])

const build = () => run('npm', ['run', 'build', '--if-present'], { cwd: root, shell: process.platform === 'win32' })

async function release(): Promise<void> {
  const git = gitIn(root)
  const plan = await planRelease(root, git, { as: values.as })
  console.log(describePlan(plan).join('\n'))
  if (provenance && plan.changes.length > 0)
    throw new ReleaseRefused(
      'provenance names the commit that was built: run with --prepare first, and publish its tag',
    )
  if (values['dry-run']) return showPacked(plan.packages, plan.to)
  await prepareRelease(root, git, plan)
  console.log(`\n${plan.tag} is committed and tagged`)
  if (values.prepare) return console.log(`next: git push --follow-tags`)
  // Built from what was committed: the version stands in files that the build makes, too.
  await build()
  const published = await publishRelease(root, plan, { provenance })
  console.log(published.length === 0 ? 'the registry has it all already' : `published ${published.join(', ')}`)
  console.log('next: git push --follow-tags')
}

async function showPacked(packages: Parameters<typeof packAll>[1], version: string): Promise<void> {
  await build()
  const folder = await mkdtemp(join(tmpdir(), 'botwright-release-'))
  try {
    const packed = await packAll(root, packages, folder)
    console.log(['', 'would publish, in this order:', ...describePacked(packed, version)].join('\n'))
    console.log(`\nnothing was written${provenance ? '; provenance would be signed' : ''}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

try {
  await release()
} catch (error) {
  if (!(error instanceof ReleaseRefused)) throw error
  console.error(error.message)
  process.exitCode = 1
}
