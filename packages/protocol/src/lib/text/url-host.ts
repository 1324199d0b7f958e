/** The host of a URL for sockets: without brackets, and without a dot at the end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Whether a host, as `hostOf` returns it, is a loopback address of this machine. */
export const isLoopbackHost = (host: string): boolean =>
  ['localhost', '::1'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host)
