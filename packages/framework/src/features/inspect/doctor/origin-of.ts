/** The URL of a port of this machine. A server that listens on all addresses also listens on loopback. */
export function originOf({ host, port }: { host: string; port: number }): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
