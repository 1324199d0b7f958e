import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { packRelease } from './lib/publishing/pack.ts'
import { publishPacked } from './lib/publishing/publish.ts'
import { prepareRelease } from './lib/release/carry-out.ts'
import { gitIn } from './lib/release/git.ts'
import { describePlan, planRelease, ReleaseRefused, type ReleasePlan } from './lib/release/plan.ts'
import { describePacked } from './lib/release/describe-packed.ts'

/*
 * `npm run release`: releases the next version of all packages, from their change files to the registry. See .github/RELEASING.md.
 *   --dry-run        prints the plan and changes nothing
 *   --prepare        commits and tags; CI publishes the tag
 *   --pack FOLDER    builds and packs the tagged version, with a manifest of the digests; publishes nothing
 *   --publish FOLDER publishes the files of --pack if every digest matches; runs nothing else
 *   --as 1.0.0       a version other than the one that the changes require
 */
const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    prepare: { type: 'boolean', default: false },
    pack: { type: 'string' },
    publish: { type: 'string' },
    as: { type: 'string' },
    root: { type: 'string', default: fileURLToPath(new URL('../../../', import.meta.url)) },
  },
})
const { root } = values
const run = promisify(execFile)

const build = () => run('npm', ['run', 'build', '--if-present'], { cwd: root, shell: process.platform === 'win32' })

async function release(): Promise<void> {
  if (values.publish !== undefined) return console.log(await publishPacked(resolve(values.publish)))
  const git = gitIn(root)
  const plan = await planRelease(root, git, { as: values.as })
  console.log(describePlan(plan).join('\n'))
  if (values['dry-run']) return inTemporaryFolder((folder) => showPacked(plan, folder))
  if (values.pack !== undefined) {
    if (plan.changes.length > 0 || (await git.tagged(plan.tag)) === undefined)
      throw new ReleaseRefused(`${plan.tag} is not tagged; run with --prepare first, then pack the tag`)
    return showPacked(plan, resolve(values.pack))
  }
  await prepareRelease(root, git, plan)
  console.log(`\n${plan.tag} is committed and tagged`)
  if (values.prepare) return console.log('next: git push --follow-tags')
  await inTemporaryFolder(async (folder) => {
    await showPacked(plan, folder)
    console.log(`\n${await publishPacked(folder)}`)
  })
  console.log('next: git push --follow-tags')
}

/** Builds first, because build output contains the version too. */
async function showPacked({ packages, to }: ReleasePlan, folder: string): Promise<void> {
  await build()
  const packed = await packRelease(root, packages, folder)
  console.log(['', 'packed, in the order of publishing:', ...describePacked(packed, to)].join('\n'))
}

async function inTemporaryFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-release-'))
  try {
    await use(folder)
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
