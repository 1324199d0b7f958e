import { execFile } from 'node:child_process'

/** What became of `git init`; `why` is for the person, when it is worth a line. */
export type Repository = { made: true } | { made: false; why?: string }

/** Makes a repository of a folder, unless `around` is in one. Rejects never: a bot without a repository is a bot. */
export async function initRepository(folder: string, around: string): Promise<Repository> {
  const inside = await git(around, ['rev-parse', '--is-inside-work-tree'])
  if (inside.missing) return { made: false, why: 'git is not installed, so there is no repository' }
  if (inside.ok) return { made: false }
  const named = await git(folder, ['config', '--get', 'init.defaultBranch'])
  const made = await git(folder, ['init', '--quiet', ...(named.ok ? [] : ['--initial-branch=main'])])
  if (made.ok) return { made: true }
  return { made: false, why: `git init failed, so there is no repository: ${made.told.trim().split('\n')[0] ?? ''}` }
}

function git(cwd: string, args: readonly string[]): Promise<{ ok: boolean; missing: boolean; told: string }> {
  // A hook that starts create-bot has its own repository in the environment, which is not meant here.
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env
  return new Promise((resolve) =>
    execFile('git', args, { cwd, env }, (error, _stdout, stderr) =>
      resolve({ ok: !error, missing: error?.code === 'ENOENT', told: stderr }),
    ),
  )
}
