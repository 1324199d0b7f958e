// Loaded into the process of the local service before the service: it ends with the program that started it, however that one ends.
// That program holds the other end of this pipe; a `kill -9` closes it too.
process.stdin
  .on('close', () => {
    // Not a real signal, which Windows cannot handle. Without a listener, the service has not started yet.
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(143)
  })
  .resume()
// The pipe alone must not keep the process alive. (A pipe is a socket, which the types do not show.)
if ('unref' in process.stdin) process.stdin.unref()
