import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, sep } from 'node:path'

const require = createRequire(import.meta.url)

/** A tool's output and exit code; `code` is null if a signal ended it. */
export interface ToolResult {
  code: number | null
  stdout: string
  stderr: string
}

/** The folder that a tool runs in, and its additional environment variables. */
export interface Where {
  cwd: string
  env?: Record<string, string>
}

/** The path of a program of an installed package. */
export function programOf(name: string, program: string): string {
  // Not every package exports its package.json.
  const folders = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name))
  const folder = folders.find((one) => existsSync(join(one, 'package.json')))
  if (folder === undefined) throw new Error(`${name} is not installed: run npm ci`)
  return join(folder, program)
}

/** Runs the program of an installed package, such as `runTool('oxfmt', 'bin/oxfmt', ['--check'], { cwd: root })`. */
export function runTool(name: string, program: string, args: string[], { cwd, env }: Where): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [programOf(name, program), ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const result: ToolResult = { code: null, stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text))
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...result, code }))
  })
}

/** Throws if a tool failed without a violation: it is broken, which must not count as "nothing found". */
export function assertRan(name: string, result: ToolResult, violations: unknown[]): void {
  if (result.code === 0 || violations.length > 0) return
  throw new Error(`${name} ended with ${result.code}: ${(result.stderr || result.stdout).trim().slice(0, 2000)}`)
}

/** A path in the form that violations use. */
export function fromRoot(root: string, path: string): string {
  return relative(root, path).split(sep).join('/')
}
