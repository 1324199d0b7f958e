import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** A port for a program that cannot choose one. Systems give no such port to connections, so none takes it before the program starts. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000)
  const isFree = await new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}
