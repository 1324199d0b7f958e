import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { ThreadIo } from '../link/thread-io.ts'

/**
 * The parts of a process that a command uses. Commands do not read them from `process`, so that they also run inside of another program.
 * A command adds the variables of `.env` to `env`.
 */
export interface ProgramIo extends ThreadIo {
  stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  /** The absolute path of the folder that the command runs in. */
  cwd: string
  /** Emits `SIGINT`, `SIGTERM` and so on. */
  signals: Pick<NodeJS.EventEmitter, 'on' | 'off'>
}

/** One run of a command. */
export interface CommandRun {
  io: ProgramIo
  /** The action passes the exit code to it: 0 for success, 1 for failure; commander itself ends a usage error with 2. */
  done: (code: number) => void
}

/** That of this process. */
export const processIo = (): ProgramIo => ({
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  signals: process,
})

/** Keeps what is written to it. */
class TextStream extends Writable {
  text = ''
  readonly #decoder = new StringDecoder()

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += this.#decoder.write(chunk)
    done()
  }
}

/** A `ProgramIo` that keeps the output. */
export type CapturedIo = ProgramIo & Record<'stdout' | 'stderr', TextStream>

/** For a program that runs a command. Default: no input, and no signals. */
export const captureIo = ({
  stdin = Readable.from([]),
  signals = new EventEmitter(),
  ...given
}: Pick<ProgramIo, 'cwd' | 'env'> & Partial<Pick<ProgramIo, 'stdin' | 'signals'>>): CapturedIo => ({
  ...given,
  stdin,
  signals,
  stdout: new TextStream(),
  stderr: new TextStream(),
})
