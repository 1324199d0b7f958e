import { spawn } from 'node:child_process'
import { killTree } from './kill-tree.ts'

/** Longer than a hook takes that checks the files of a bot. */
const LIMIT_MS = 20_000
/** How long git has to remove its lock files once it was ended, and its output may be read after its end. */
const END_MS = 1000

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
export async function firstCommit(folder: string, limitMs = LIMIT_MS): Promise<string | undefined> {
  const added = await git(folder, ['add', '--all'], limitMs)
  const made = added.ok ? await git(folder, ['commit', '--quiet', '--message', 'Create the bot'], limitMs) : added
  if (made.ok) return undefined
  const isUnknown = /tell me who you are|identity/i.test(made.stderr)
  const [reason = ''] = made.stderr.trim().split('\n').filter(Boolean)
  const wait = 'It may wait for a passphrase, or a hook may not end'
  const why = made.isLate
    ? `git ${added.ok ? 'commit' : 'add'} did not end within ${limitMs / 1000} s. ${wait}`
    : reason
  return `the files are not committed: ${isUnknown ? 'git has no user.name and user.email; set them with git config' : why}`
}

interface Ended {
  ok: boolean
  missing: boolean
  isLate: boolean
  stderr: string
}

/** Runs git without a terminal: a hook, an editor or a signing program that asks for something fails instead of waiting. */
function git(cwd: string, args: readonly string[], limitMs = LIMIT_MS): Promise<Ended> {
  // Ignore the repository of a git hook that runs create-bot. GPG_TTY is the terminal in which GnuPG asks for a passphrase.
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, GPG_TTY: _tty, ...env } = process.env
  const windows = process.platform === 'win32'
  return new Promise((resolve) => {
    const child = spawn('git', args, {
      cwd,
      // In English, so that the reason of a failed commit can be read.
      env: { ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
      // A session of its own has no terminal.
      detached: !windows,
      windowsHide: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let [isLate, stderr] = [false, '']
    const end = (ok: boolean, missing = false) => {
      for (const timer of timers) clearTimeout(timer)
      child.stderr.destroy()
      resolve({ ok: ok && !isLate, missing, isLate, stderr })
    }
    const late = () => {
      isLate = true
      killTree(child, 'SIGTERM')
      timers.push(setTimeout(() => killTree(child), END_MS))
    }
    const timers = [setTimeout(late, limitMs)]
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(0, 4000)))
    child.once('error', ({ code }: NodeJS.ErrnoException) => end(false, code === 'ENOENT'))
    child.once('close', (code) => end(code === 0))
    // A process in the background, which a hook has started, keeps the output open.
    child.once('exit', (code) => timers.push(setTimeout(() => end(code === 0), END_MS)))
  })
}
