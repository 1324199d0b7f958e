import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** When each file of the documentation was last changed, in milliseconds, by its path. Empty without the history of the repository. */
export async function changedMs(root: string): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  const folders = ['packages/*/docs/*', 'examples']
  const args = ['log', '--format=at %ct', '--name-only', '--', ...folders]
  const git = (...words: string[]) =>
    promisify(execFile)('git', words, { cwd: root, maxBuffer: 64 * 1024 * 1024 }).catch(() => undefined)
  // In a shallow clone, the last commit seems to have changed every file.
  if ((await git('rev-parse', '--is-shallow-repository'))?.stdout.trim() !== 'false') return times
  const log = await git(...args)
  let at = 0
  for (const line of log?.stdout.split('\n') ?? []) {
    if (line.startsWith('at ')) at = Number(line.slice(3)) * 1000
    // The newest commits come first.
    else if (line !== '' && !times.has(line)) times.set(line, at)
  }
  return times
}
