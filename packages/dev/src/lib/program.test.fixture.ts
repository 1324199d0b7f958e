import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type * as Start from '@botwright/framework/start'
import { expect, vi } from 'vitest'

/** The built program, for tests about its process. */
export const program = fileURLToPath(new URL('../../../framework/bin/framework.cjs', import.meta.url))

/** The built program as a module: bots import the built packages too. */
export const built = (): Promise<typeof Start> =>
  import(new URL('../../../framework/dist/joined/start.js', import.meta.url).href) as Promise<typeof Start>

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** The environment of an author without a bot. */
export function plainEnv(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _force, BOT_TOKEN: _token, BOT_BASE_URL: _url, ...rest } = process.env
  return rest
}

/** Runs a command in this process, with its input and output in pipes. Rejects with an error that would crash the program. */
export async function run(
  args: readonly string[],
  { cwd, env = {}, input = '' }: { cwd: string; env?: Record<string, string>; input?: string },
): Promise<Ended> {
  const { captureIo, runProgram } = await built()
  const io = captureIo({ cwd, env: { ...plainEnv(), ...env }, stdin: Readable.from([input]) })
  const code = await runProgram(args, io)
  return { code, stdout: io.stdout.text, stderr: io.stderr.text }
}

/** A command that runs in this process until a signal. */
export interface Running {
  /** The output so far. */
  output: () => string
  /** False if the command does not handle it (yet): a process would be killed. */
  signal: (name: 'SIGINT' | 'SIGTERM') => boolean
  /** Fails the output, as a closed pipe does. */
  loseReader: () => void
  /** The exit code. Rejects with an error that would crash the program. */
  ended: Promise<number>
}

/** Starts such a command. */
export async function start(
  args: readonly string[],
  { cwd, env = {}, ...input }: { cwd: string; env?: Record<string, string>; stdin?: Readable },
): Promise<Running> {
  const { captureIo, runProgram } = await built()
  const signals = new EventEmitter()
  const io = captureIo({ cwd, env: { ...plainEnv(), ...env }, signals, ...input })
  const loseReader = () => io.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  // In one text, in the order of a terminal.
  const ended = runProgram(args, { ...io, stderr: io.stdout })
  return { output: () => io.stdout.text, signal: (name) => signals.emit(name, name), loseReader, ended }
}

/** Repeats an assertion until it passes. `expect.poll` does the same, but only in a test. */
export const eventually = (assertion: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { timeout: 60_000, interval: 20 })

/** Waits until a running command has printed this. */
export const untilPrinted = ({ output }: Pick<Running, 'output'>, text: string | RegExp): Promise<void> =>
  eventually(() => expect(output()).toMatch(text))
