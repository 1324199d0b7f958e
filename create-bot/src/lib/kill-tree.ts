import { type ChildProcess, spawnSync } from 'node:child_process'

/** Ends a process with its child processes; elsewhere than on Windows, it was started with `detached`. */
export function killTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The process has already ended.
  }
}
