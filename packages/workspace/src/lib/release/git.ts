import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The git operations of a release. */
export interface Git {
  /** Changed and untracked files; empty in a clean tree. */
  dirty(): Promise<string[]>
  /** The current commit. */
  head(): Promise<string>
  /** The commit of a tag, or undefined if there is no such tag. */
  tagged(tag: string): Promise<string | undefined>
  commit(message: string): Promise<void>
  tag(name: string, message: string): Promise<void>
}

export function gitIn(root: string): Git {
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: root, maxBuffer: 64 * 2 ** 20 })).stdout.trim()
  return {
    dirty: async () => (await git('status', '--porcelain')).split('\n').filter((line) => line !== ''),
    head: () => git('rev-parse', 'HEAD'),
    tagged: (tag) => git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`).catch(() => undefined),
    commit: async (message) => {
      await git('add', '--all')
      await git('commit', '--quiet', '--message', message)
    },
    tag: async (name, message) => {
      await git('tag', '--annotate', name, '--message', message)
    },
  }
}
