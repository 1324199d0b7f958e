import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { defaultWorld, startService } from '@botwright/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTools, loadTool, otherNode, toolsFolder } from '../publishing/tools.ts'

interface Generator {
  title: string
  /** The folder below `tools/clients`: what generates the client, and a program that uses it. */
  client: string
  /** The name under which a generator of several versions is installed. */
  version?: string
  /** The program that runs it, where this Node is too old. */
  node?: string | undefined
}

const generators: Generator[] = [
  { title: 'openapi-typescript', client: 'openapi-typescript' },
  { title: 'hey-api', client: 'hey-api' },
  { title: 'Kubb', client: 'kubb' },
  { title: 'orval 7', client: 'orval', version: 'orval7' },
  { title: 'orval 8', client: 'orval', version: 'orval', node: otherNode(22) },
]
const documents = { bot: '/developers/openapi.json', people: '/people/openapi.json' }

const run = promisify(execFile)
const clients = fileURLToPath(new URL('../../../tools/clients/', import.meta.url))
const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const tsc = join(dirname(createRequire(import.meta.url).resolve('ts7/package.json')), 'bin/tsc')

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => void (service = await startService({ port: 0, world: defaultWorld('pollster', 'token-of-bot') })))
afterAll(() => service.close())

const textOf = async (path: string) => (await fetch(service.url + path)).text()

const there = hasTools()
if (!there) console.warn('SKIPPED: the generators are not installed; run `node packages/workspace/bin/tools.mjs`')

/** A channel webhook that ann makes: its id and its token. */
async function makeWebhook(): Promise<string[]> {
  const channel = service.world.servers['Workshop']!.channels['general']!
  const answer = await fetch(`${service.url}/people/v1/channels/${channel}/webhooks`, {
    method: 'POST',
    headers: {
      authorization: `Person ${service.world.people['ann']!.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'builds' }),
  })
  const { url } = (await answer.json()) as { url: string }
  return new URL(url).pathname.split('/').slice(-2)
}

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

// Skipped where the tools are not installed, which the warning above says; where CI is set a skipped test fails.
test.skipIf(!there).each(generators)(
  'the client that $title generates compiles and talks to the service',
  async ({ client, version, node = process.execPath }) => {
    const folder = await mkdtemp(join(tmpdir(), 'botwright-client-'))
    try {
      await cp(join(clients, client), folder, { recursive: true })
      await symlink(join(toolsFolder(), 'node_modules'), join(folder, 'node_modules'), 'junction')
      for (const [name, path] of Object.entries(documents))
        await writeFile(join(folder, `${name}.json`), await textOf(path))
      await writeFile(join(folder, 'package.json'), '{"type":"module"}')
      await writeFile(
        join(folder, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: {
            ...{ strict: true, target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'] },
            ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')], skipLibCheck: true },
            ...{ outDir: 'out', rewriteRelativeImportExtensions: true },
          },
          include: ['**/*.ts'],
        }),
      )
      await run(node, ['generate.js', ...(version === undefined ? [] : [version])], { cwd: folder })
      const compiled = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error)
      expect(compiled.stdout).toBe('')
      const person = service.world.people['ann']!.token
      const { stdout } = await run(process.execPath, [
        join(folder, 'out/use.js'),
        ...[service.url, 'token-of-bot', person, ...(await makeWebhook()), picture],
      ])
      expect(JSON.parse(stdout)).toEqual({ servers: ['Workshop'], name: 'ann', avatar: 200, content: 'built' })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

interface Finding {
  code: string
  path: unknown
}

// Skipped where the tools are not installed, which the warning above says; where CI is set a skipped test fails.
describe.skipIf(!there).each(Object.values(documents))('%s', (path) => {
  test('passes Spectral', async () => {
    const { default: core } = await loadTool<{
      default: {
        Spectral: new () => {
          setRuleset(rules: object): void
          run(document: unknown): Promise<(Finding & { severity: number })[]>
        }
      }
    }>('@stoplight/spectral-core', 'dist/index.js')
    const { default: rules } = await loadTool<{ default: { oas: object } }>(
      '@stoplight/spectral-rulesets',
      'dist/index.js',
    )
    const spectral = new core.Spectral()
    spectral.setRuleset({ extends: rules.oas })
    const found = await spectral.run(JSON.parse(await textOf(path)))
    // Its rules are at work: the ones that only warn find something.
    expect(found).not.toEqual([])
    expect(found.filter(({ severity }) => severity === 0)).toEqual([])
  })

  test('passes Redocly', async () => {
    const { createConfig, lintFromString } = await loadTool<{
      createConfig(config: object): Promise<object>
      lintFromString(what: object): Promise<{ ruleId: string; severity: string }[]>
    }>('@redocly/openapi-core', 'lib/index.js')
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source: await textOf(path), absoluteRef: '/openapi.json', config })
    expect(found).not.toEqual([])
    expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
  })
})
