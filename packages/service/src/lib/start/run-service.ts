import { parseArgs, styleText } from 'node:util'
import { BotwrightError } from '@botwright/protocol'
import { printableBlock } from '@botwright/protocol/facts'
import { DatabaseError, type DatabaseErrorCode } from '@botwright/sqlite'
import { isLoopback } from '../event-webhooks/public-address.ts'
import { type Service, type ServiceOptions, startService } from './start-service.ts'
import { readWorld } from '../world/read-world.ts'

export { readWorld }

/** The parts of a process that the program uses. */
interface ServiceIo {
  stdout: Pick<NodeJS.WritableStream, 'write'> & { readonly isTTY?: boolean }
  stderr: Pick<NodeJS.WritableStream, 'write'>
  /** Emits `SIGTERM` and `SIGINT`. */
  signals: Pick<NodeJS.EventEmitter, 'on' | 'off'>
}

const processIo = (): ServiceIo => ({ stdout: process.stdout, stderr: process.stderr, signals: process })
const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Runs the service as a program: once it listens, prints one line of JSON, or its addresses on a terminal, and shuts down with exit code 0 on SIGTERM or SIGINT.
 * Resolves after the shutdown.
 */
export async function runService(options: ServiceOptions = {}, io = processIo()): Promise<void> {
  // Listen before starting, so that a signal during startup also leads to a clean shutdown.
  let resolve!: () => void
  const signalled = new Promise<void>((resolved) => (resolve = resolved))
  // A second signal ends the program at once.
  const ignore = (): void => signals.forEach((name) => io.signals.off(name, stop))
  const stop = (): void => {
    ignore()
    resolve()
  }
  for (const name of signals) io.signals.on(name, stop)
  try {
    const service = await startService(options).catch((error: unknown) => {
      throw explainStartError(error, options)
    })
    printStart(service, options, io)
    await signalled
    await service.close()
  } finally {
    ignore()
  }
}

function printStart(service: Service, options: ServiceOptions, { stdout, stderr }: ServiceIo): void {
  const report = (text: string) => void stderr.write(`${printableBlock(`service: ${text}`)}\n`)
  const { url, base_url, page } = service
  if (service.resumed && options.world) {
    report('the data file already contains a world; ignoring the given world')
  }
  const warning = [
    ...(isLoopback(url)
      ? []
      : ['other machines can reach the service, and anyone can sign in by name; do not use it as a public server']),
    ...service.unusedEventWebhooks.map(
      (bot) =>
        `events are not posted to the event webhook of ${bot}: its URL is not public https; to allow URLs on this machine, add --allow-loopback-webhooks`,
    ),
  ].join('; ')
  if (warning !== '') report(`warning: ${warning}`)
  const resumed = service.resumed && { resumed: true }
  const ready = { ready: true, url, base_url, page, ...resumed, ...(warning !== '' && { warning }) }
  stdout.write(`${stdout.isTTY ? forPeople(service, options) : JSON.stringify(ready)}\n`)
}

/** The start as people read it in a terminal. */
function forPeople({ base_url, page, world }: Service, { data }: ServiceOptions): string {
  const people = Object.keys(world.people)
  const shown = people.length > 3 ? [...people.slice(0, 3), `${people.length - 3} more`] : people
  const names = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(shown)
  const rows = [
    ['Bots', `BOT_BASE_URL=${base_url}`],
    ['Sign in', names === '' ? 'any name creates a person' : `as ${names}; a new name creates a new person`],
    ['Data', data ?? 'in memory; use --data FILE to keep it'],
    ['Chat', styleText('cyan', page)],
  ]
  const lines = rows.map(
    ([name = '', text]) => `  ${styleText('green', '➜')}  ${styleText('bold', name.padEnd(8))} ${text}`,
  )
  return [
    '',
    `  ${styleText(['bold', 'green'], 'Botwright')}  the local chat service runs until Ctrl-C`,
    '',
    ...lines,
    '',
  ].join('\n')
}

/** Adds the option that fixes a startup error, if the user can fix it; returns other errors unchanged. */
function explainStartError(error: unknown, { port, host = '127.0.0.1', data }: ServiceOptions): unknown {
  const { code = '', syscall = '', message, port: used = port } = error as NodeJS.ErrnoException & { port?: number }
  const fix = /^(?:listen|bind|getaddrinfo)$/.test(syscall) ? startFixes[code] : undefined
  if (fix !== undefined) return new BotwrightError('ERR_CONFIG', fix(host, used ?? 0), { cause: error })
  if (data === undefined || !(error instanceof DatabaseError)) return error
  const fixData = dataFixes[error.code] ?? 'set --data to a file in an existing folder that this user can write to'
  const text = `${message.startsWith(data) ? '' : `${data}: `}${message}; ${fixData}`
  return new BotwrightError('ERR_CONFIG', text, { cause: error })
}

const dataFixes: Partial<Record<DatabaseErrorCode, string>> = {
  busy: 'end the program that has locked it, or set --data to another file',
  full: 'free some space, or set --data to a file on another disk',
}

const noAddress = (host: string): string =>
  `${host} is not an address of this machine; set --host to one, such as 127.0.0.1, or to 0.0.0.0 for all`
const startFixes: Readonly<Partial<Record<string, (host: string, port: number) => string>>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} of ${host} is already in use; set --port to another one, or to 0 for any free port`,
  EACCES: (host, port) => `this user is not allowed to use port ${port} of ${host}; set --port to another one`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
}

/** Parses the command line: `--port --host --data --memory --world --controls --[no-]allow-loopback-webhooks --key`. */
export function readArguments(args: readonly string[]): ServiceOptions {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      memory: { type: 'boolean' },
      world: { type: 'string' },
      controls: { type: 'boolean' },
      'allow-loopback-webhooks': { type: 'boolean' },
      key: { type: 'boolean' },
    },
  })
  if (values.data !== undefined && values.memory) {
    throw new BotwrightError('ERR_CONFIG', 'service: --data and --memory cannot be combined; use one of them')
  }
  const port = values.port === undefined ? undefined : Number(values.port)
  // An empty text is not 0.
  if (port !== undefined && !(/^\d+$/.test(values.port!) && port <= 65_535)) {
    throw new BotwrightError('ERR_CONFIG', 'service: --port must be a number from 0 to 65535')
  }
  return {
    ...(port !== undefined && { port }),
    ...(values.host !== undefined && { host: values.host }),
    ...(values.data !== undefined && { data: values.data }),
    ...(values.world !== undefined && { world: readWorld(values.world) }),
    controls: values.controls ?? false,
    ...(values['allow-loopback-webhooks'] !== undefined && {
      allowLoopbackWebhooks: values['allow-loopback-webhooks'],
    }),
    key: values.key ?? false,
  }
}
