import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

type ChildOptions = Pick<SpawnOptions, 'cwd' | 'env'> & { stdio?: ('ignore' | 'inherit' | 'pipe' | 'ipc')[] }

/**
 * Starts a program that ends with this process, whatever happens to it: a test may be given up before it knows what it has started.
 * A pipe that is open for as long as this process lives signals it. The process id is the program's own.
 */
export function spawnChild(program: string, args: readonly string[], options: ChildOptions = {}): ChildProcess {
  const { stdio = ['ignore', 'pipe', 'pipe'], ...rest } = options
  const pipe = stdio.length
  // A write beyond a limit (`fillDisk`) is to fail, not to end it. A line reports that the program has ended by itself.
  const watched = `trap "" XFSZ; (read line <&${pipe} || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" ${pipe}<&-`
  const child = spawn('/bin/sh', ['-c', watched, program, ...args], { ...rest, stdio: [...stdio, 'pipe'] })
  const tie = child.stdio[pipe] as Writable
  tie.on('error', () => {})
  // It does not keep a process alive that has nothing else to do.
  ;(tie as Writable & { unref?: () => void }).unref?.()
  child.once('exit', () => tie.end('\n'))
  return child
}
