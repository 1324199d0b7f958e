import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** How to publish; npm takes the registry and who one is from its own configuration and environment. */
export interface PublishOptions {
  /** Signed statements of where and from what the packages were built. Only a CI service with an identity of its own can make them. */
  provenance?: boolean
  env?: NodeJS.ProcessEnv
}

/**
 * Publishes workspace folders of `root` in the given order, in one run of npm. What the registry already has must be left out.
 * Rejects with npm's own words.
 */
export async function publishFolders(root: string, folders: readonly string[], options: PublishOptions = {}) {
  const args = [
    'publish',
    '--ignore-scripts',
    '--access',
    'public',
    '--loglevel',
    'error',
    ...(options.provenance ? ['--provenance'] : []),
  ]
  await run('npm', [...args, ...folders.flatMap((folder) => ['--workspace', folder])], {
    cwd: root,
    env: options.env ?? process.env,
    maxBuffer: 64 * 2 ** 20,
    shell: process.platform === 'win32',
  })
}

/** Whether the registry in force has this version; any other failure than "no such package or version" rejects. */
export async function isPublished(name: string, version: string, env = process.env): Promise<boolean> {
  try {
    const { stdout } = await run('npm', ['view', `${name}@${version}`, 'version', '--json'], {
      env,
      shell: process.platform === 'win32',
    })
    return stdout.trim() !== ''
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    if (/\bE404\b/.test(stdout + stderr)) return false
    throw error
  }
}
