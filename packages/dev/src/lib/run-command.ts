import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'
import { packageVersion } from './package-version.ts'

/**
 * Runs `dev`, `build`, `check` or `service` in the current folder; `argv` is what stands behind the name.
 * Resolves with the exit code. What the author can mend is told on standard error; anything else rejects.
 */
export async function runCommand(name: string, argv: readonly string[]): Promise<number> {
  let code = 0
  const program = createProgram((exitCode) => (code = exitCode))
  try {
    await program.parseAsync([name, ...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    if (!isBotwrightError(error)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

function createProgram(done: (code: number) => void): Command {
  const program = new Command('framework').version(packageVersion()).showSuggestionAfterError().exitOverride()
  const command = (name: string, description: string, examples: readonly string[]) =>
    program
      .command(name)
      .description(description)
      .helpOption('-h, --help', 'prints this help')
      .exitOverride()
      .showHelpAfterError(`("framework help ${name}" tells its options)`)
      .addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)

  command(
    'dev',
    'Runs the bot of this folder and takes in each save. Without BOT_TOKEN it starts a local chat service.',
    ['framework dev', 'framework dev --port 7500 --data .botwright/chat.db'],
  )
    .option('--local', 'start the local service even when BOT_TOKEN is set', false)
    .option(
      '--port <number>',
      'port of the local service; 0 picks a free one (default: 7420 or the next free one)',
      readPort,
    )
    .option('--data <file>', 'keep the data of the local service in this file (default: in memory)')
    .option('--verbose', 'show debug lines of the log', false)
    .action(async (options: { local: boolean; port?: number; data?: string; verbose: boolean }) => {
      const { runDev } = await import('./dev-command.ts')
      done(await runDev({ folder: process.cwd(), ...options }))
    })

  command('build', 'Makes the folder that `framework start` runs, with no compiler and no dev packages.', [
    'framework build',
    'framework build --out build && framework start build',
  ])
    .option('--out <folder>', 'where to', 'dist')
    .action(async ({ out }: { out: string }) => {
      const { runBuild } = await import('./build-command.ts')
      done(await runBuild({ folder: process.cwd(), out }))
    })

  command('check', 'Loads every file of the bot and checks its types; exit code 1 when anything is wrong.', [
    'framework check',
    'framework check && framework build',
  ]).action(async () => {
    const { runCheck } = await import('./check-command.ts')
    done(await runCheck({ folder: process.cwd() }))
  })

  command('service', 'Runs the local chat service; prints one line of JSON when it listens.', [
    'framework service',
    'framework service --port 0 --world world.json --controls',
  ])
    .option('--port <number>', 'port; 0 picks a free one', readPort, 7420)
    .option('--host <address>', 'address', '127.0.0.1')
    .option('--data <file>', 'keep the data in this file')
    .option('--memory', 'keep the data in memory (default)', false)
    .option('--world <file>', 'JSON file that names people, servers, channels and bots')
    .option('--controls', 'serve /controls/v1, for tests and demonstrations', false)
    .option('--allow-loopback-webhooks', 'allow event webhooks to this machine', false)
    .action(async (options: ServiceFlags) => done(await runServiceCommand(options)))
  return program
}

interface ServiceFlags {
  port: number
  host: string
  data?: string
  memory: boolean
  world?: string
  controls: boolean
  allowLoopbackWebhooks: boolean
}

async function runServiceCommand({ memory, world, data, ...options }: ServiceFlags): Promise<number> {
  if (memory && data !== undefined) {
    throw new BotwrightError('ERR_CONFIG', '--memory and --data exclude each other: leave one out')
  }
  const { readWorld, runService } = await import('@botwright/service/program')
  await runService({
    ...options,
    ...(data !== undefined && { data }),
    ...(world !== undefined && { world: readWorld(world) }),
  })
  return 0
}

function readPort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535')
  return port
}
