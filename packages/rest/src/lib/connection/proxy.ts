import { BotwrightError } from '@botwright/protocol/facts'
import { hostOf, isLoopbackHost } from '@botwright/protocol/host'

/** The proxy of a company network. */
export interface Proxy {
  /** The environment variable that names it. */
  variable: string
  /** Scheme, host and port, without user name and password. */
  origin: string
  /** The header `Proxy-Authorization`, if the URL has a user name. */
  authorization: string | undefined
}

/**
 * The proxy that the environment asks for at an address: `HTTPS_PROXY` or `HTTP_PROXY`, in lower case first, without the hosts in
 * `NO_PROXY`. Loopback addresses have none. Throws `ERR_CONFIG`, which names the variable and does not contain its value.
 */
export function proxyFor(address: string, env: NodeJS.ProcessEnv = process.env): Proxy | undefined {
  const url = new URL(address)
  const [variable, value] = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', env)
  if (value === '' || isLoopback(hostOf(url)) || isExcepted(url, read('NO_PROXY', env)[1])) return undefined
  const proxy = URL.canParse(value) ? new URL(value) : undefined
  if (!proxy || !['http:', 'https:'].includes(proxy.protocol))
    throw new BotwrightError(
      'ERR_CONFIG',
      `${variable} is not an http or https URL: set it to the URL of the proxy, such as http://proxy.example:3128`,
    )
  return { variable, origin: proxy.origin, authorization: authorizationOf(proxy, variable) }
}

/** The variable that is set, and its value. An empty one in lower case switches the other off. */
function read(name: string, env: NodeJS.ProcessEnv): [variable: string, value: string] {
  const variable = env[name.toLowerCase()] === undefined ? name : name.toLowerCase()
  return [variable, env[variable]?.trim() ?? '']
}

/** Also the notations that only a proxy would have to understand: names below `localhost`, and 127.0.0.0/8 in IPv6. */
const isLoopback = (host: string): boolean =>
  isLoopbackHost(host) || host.endsWith('.localhost') || /^::ffff:7f[0-9a-f]{2}:/.test(host)

/** An entry is `*`, or a host with all names below it, optionally with a port. */
function isExcepted(url: URL, list: string): boolean {
  const host = hostOf(url)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    const name = entry.toLowerCase().replace(/^\*?\./, '')
    if (name === '*') return true
    const names = [name.replace(/^\[|\]$/g, '')]
    if (name.endsWith(`:${port}`)) names.push(name.slice(0, -port.length - 1).replace(/^\[|\]$/g, ''))
    return names.some((one) => one !== '' && (host === one || host.endsWith(`.${one}`)))
  })
}

function authorizationOf({ username, password }: URL, variable: string): string | undefined {
  if (username === '' && password === '') return undefined
  try {
    const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return `Basic ${Buffer.from(text).toString('base64')}`
  } catch {
    // The error of `decodeURIComponent` would not name the variable.
    throw new BotwrightError(
      'ERR_CONFIG',
      `${variable} has a "%" in its user name or password that encodes nothing: write each "%" as %25`,
    )
  }
}
