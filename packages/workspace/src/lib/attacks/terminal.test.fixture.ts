import { spawn } from 'node:child_process'

/** A running program; `output` returns its output so far, on both streams. */
export interface Running {
  output: () => string
  ended: Promise<number | null>
  stop: () => Promise<void>
}

/** Starts a Node program. */
export function startProgram(args: readonly string[], { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Running {
  const child = spawn(process.execPath, [...args], { cwd, env: { ...process.env, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (part: string) => (text += part))
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    output: () => text,
    ended,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
