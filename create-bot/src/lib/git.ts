import { execFile } from 'node:child_process'

/** The result of `git init`; `why` is a message for the user, if there is one. */
export type Repository = { made: true } | { made: false; why?: string }

/** Creates a repository in a folder, unless `around` is in one. Never rejects: a bot works without a repository. */
export async function initRepository(folder: string, around: string): Promise<Repository> {
  const inside = await git(around, ['rev-parse', '--is-inside-work-tree'])
  if (inside.missing) return { made: false, why: 'git is not installed; no repository was created' }
  if (inside.ok) return { made: false }
  const named = await git(folder, ['config', '--get', 'init.defaultBranch'])
  const made = await git(folder, ['init', '--quiet', ...(named.ok ? [] : ['--initial-branch=main'])])
  if (made.ok) return { made: true }
  return { made: false, why: `git init failed; no repository was created: ${made.stderr.trim().split('\n')[0] ?? ''}` }
}

/** Commits the files of a new repository. Returns why it did not, for the user. */
export async function firstCommit(folder: string): Promise<string | undefined> {
  const added = await git(folder, ['add', '--all'])
  const made = added.ok ? await git(folder, ['commit', '--quiet', '--message', 'Create the bot']) : added
  if (made.ok) return undefined
  const isUnknown = /tell me who you are|identity/i.test(made.stderr)
  const [reason = ''] = made.stderr.trim().split('\n').filter(Boolean)
  return `the files are not committed: ${isUnknown ? 'git has no user.name and user.email; set them with git config' : reason}`
}

function git(cwd: string, args: readonly string[]): Promise<{ ok: boolean; missing: boolean; stderr: string }> {
  // Ignore the repository of a git hook that runs create-bot.
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env
  return new Promise((resolve) =>
    // In English, so that the reason of a failed commit can be read.
    execFile('git', args, { cwd, env: { ...env, LC_ALL: 'C' } }, (error, _stdout, stderr) =>
      resolve({ ok: !error, missing: error?.code === 'ENOENT', stderr }),
    ),
  )
}
