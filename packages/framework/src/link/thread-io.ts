/** A stream that a program writes to. `fd`: that of a stream of the process. */
export type ProgramOutput = NodeJS.WritableStream &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>> & { readonly fd?: number }

/** The output and the environment of threads with the code of a bot. */
export interface ThreadIo {
  stdout: ProgramOutput
  stderr: ProgramOutput
  env: NodeJS.ProcessEnv
}
