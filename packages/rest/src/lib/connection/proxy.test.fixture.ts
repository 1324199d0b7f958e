import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A request for the proxy: `CONNECT chat.example:443`. */
export interface SeenByProxy {
  line: string
  authorization: string | undefined
}

/** How a proxy answers a request that it does not send on. `hangs`: never. */
type Refusal = number | 'hangs'

/** A forward proxy on this machine. Every name leads to a port of this machine; `refuse` makes it refuse requests. */
export async function startProxy(targetPort: number, refuse?: Refusal) {
  const seen: SeenByProxy[] = []
  let accepted = 0
  const sockets = new Set<Socket>()
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming
    seen.push({ line: `${method} ${url}`, authorization: headers['proxy-authorization'] })
    if (refuse === 'hangs') return
    if (refuse !== undefined) return void response.writeHead(refuse).end()
    const { pathname, search } = new URL(url)
    const { 'proxy-authorization': _own, ...others } = headers
    const onward = request(
      { host: '127.0.0.1', port: targetPort, method, path: pathname + search, headers: others },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      },
    )
    onward.once('error', () => response.destroy())
    incoming.pipe(onward)
  })
  server.on('connection', (socket: Socket) => {
    accepted++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('connect', ({ url, headers }, socket) => {
    seen.push({ line: `CONNECT ${url}`, authorization: headers['proxy-authorization'] })
    socket.on('error', () => socket.destroy())
    if (refuse === 'hangs') return
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`)
    const onward = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.once('close', () => onward.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    seen,
    host: `127.0.0.1:${port}`,
    /** The number of connections so far. */
    get accepted() {
      return accepted
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
