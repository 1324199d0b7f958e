// Loaded into the process of the local service before the service: it ends with the program that started it, however that ends.
// That program holds the other end of this pipe; a `kill -9` closes it too.
process.stdin
  .on('close', () => {
    // Not a real signal, which Windows lets nobody handle. Without a listener the service has not begun.
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(143)
  })
  .resume()
// The pipe alone is no reason to live on. (A pipe is a socket, which the types do not tell.)
if ('unref' in process.stdin) process.stdin.unref()
