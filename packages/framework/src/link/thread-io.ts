/** A stream that a program writes to. `fd`: that of a stream of the process. */
export type ProgramOutput = NodeJS.WritableStream &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>> & { readonly fd?: number }

/** The output and the environment of threads with the code of a bot. */
export interface ThreadIo {
  stdout: ProgramOutput
  stderr: ProgramOutput
  env: NodeJS.ProcessEnv
}

/**
 * Writes the output of a thread to these streams until the thread ends. A slow reader pauses the output of the thread; after an error of a
 * stream, such as a closed pipe, its output is dropped. Several threads can share the streams.
 */
export function pipeOutput(
  thread: { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream },
  { stdout, stderr }: Pick<ThreadIo, 'stdout' | 'stderr'>,
): void {
  pipe(thread.stdout, stdout)
  pipe(thread.stderr, stderr)
}

function pipe(from: NodeJS.ReadableStream, to: ProgramOutput): void {
  // A pipe adds a listener of each kind, and this function another one. That is not a leak: they go when the thread ends.
  const allow = (more: number) => {
    const most = to.getMaxListeners()
    if (most > 0) to.setMaxListeners(most + more)
  }
  allow(2)
  from.once('end', () => allow(-2))
  from.pipe(to, { end: false })
  // After an error nothing else reads, and the thread would keep all that it writes.
  const onUnpipe = (source: NodeJS.ReadableStream): void => {
    if (source !== from) return
    to.off('unpipe', onUnpipe)
    from.resume()
  }
  to.on('unpipe', onUnpipe)
}
