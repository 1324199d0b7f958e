import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { MANIFEST } from './pack.ts'

const WORKFLOW = fileURLToPath(new URL('../../../../../.github/workflows/release.yml', import.meta.url))
const run = promisify(execFile)

/**
 * Publishes the output of `packRelease` from a folder, with the script of the release workflow, so that a manual release equals one in CI.
 * Skips packages that the registry has with the same digest, so that an interrupted release can run again. Throws if a tarball or a
 * published version has another digest. Returns the script's report; npm takes the registry and the account from `env`.
 */
export async function publishPacked(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const manifest = await readFile(join(folder, MANIFEST), 'utf8')
  const script = await publishScript()
  const options = { cwd: folder, env: { ...env, PACKED: manifest }, maxBuffer: 64 * 2 ** 20 }
  try {
    return (await run(process.execPath, ['--input-type=commonjs', '--eval', script], options)).stdout.trim()
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}`.trim(), { cause: error })
  }
}

/** The step `publish` of the job `publish`. */
async function publishScript(): Promise<string> {
  const workflow = parse(await readFile(WORKFLOW, 'utf8')) as {
    jobs?: { publish?: { steps?: { id?: string; run?: string }[] } }
  }
  const script = workflow.jobs?.publish?.steps?.find(({ id }) => id === 'publish')?.run
  if (script === undefined)
    throw new Error(`${WORKFLOW}: the job "publish" has no step with the id "publish"; restore it`)
  return script
}
