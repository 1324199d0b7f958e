import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { peopleEndpoints } from './people-contract/index.ts'
import { startTest } from './driver.test.fixture.ts'

interface Document {
  openapi: string
  paths: Record<string, Record<string, { operationId: string }>>
  components: { schemas: Record<string, object> }
}

let chat: Awaited<ReturnType<typeof startTest>>
const folder = fileURLToPath(new URL('../../dist/generated-client/', import.meta.url))
beforeAll(async () => void (chat = await startTest()))
afterAll(async () => {
  await chat.close()
  await rm(folder, { recursive: true, force: true })
})

const read = async (path: string) => {
  const { status, headers, body } = await chat.call('GET', path)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  return body as Document
}

describe('the OpenAPI documents (§9)', () => {
  it.each(['/developers/openapi.json', '/people/openapi.json'])('%s passes an independent validator', async (path) => {
    const validator = new Validator()
    const result = await validator.validate((await read(path)) as unknown as Record<string, unknown>)
    expect(result.errors ?? []).toEqual([])
    expect([result.valid, validator.version]).toEqual([true, '3.1'])
  })

  it("the people's document has every endpoint of the people's table, and the stream", async () => {
    const { paths } = await read('/people/openapi.json')
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    const table = Object.entries(peopleEndpoints).flatMap(([group, entries]) =>
      Object.entries<{ method: string; path: string }>(entries).map(
        ([name, { method, path }]) => `${group}.${name} ${method} ${path}`,
      ),
    )
    expect(described.toSorted()).toEqual([...table, 'stream GET /stream'].toSorted())
  })
})

describe('a client that an independent generator makes of the document', () => {
  const generate = async (path: string, name: string): Promise<string> => {
    const output = join(folder, name)
    await mkdir(output, { recursive: true })
    const input = join(folder, `${name}.json`)
    await writeFile(input, JSON.stringify(await read(path)))
    await createClient({
      ...{ input, output: { path: output, module: { extension: '.ts' } }, logs: { level: 'silent' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    })
    return join(output, 'client.gen.ts')
  }

  it('compiles, and lists servers against the running service', async () => {
    const clients = [
      await generate('/developers/openapi.json', 'bot'),
      await generate('/people/openapi.json', 'people'),
    ]
    const program = join(folder, 'list.ts')
    await writeFile(
      program,
      `import { client as bot } from './bot/client.gen.ts'
import { serversList } from './bot/sdk.gen.ts'
import { client as people } from './people/client.gen.ts'
import { meGet } from './people/sdk.gen.ts'
const [url, botToken, personToken] = process.argv.slice(2)
bot.setConfig({ baseUrl: url + '/v1', auth: 'Bot ' + botToken })
people.setConfig({ baseUrl: url + '/people/v1', auth: 'Person ' + personToken })
const { data: { servers } } = await serversList({ throwOnError: true })
const { data: me } = await meGet({ throwOnError: true })
const name: string = me.person.username
// @ts-expect-error What is answered is known to the compiler: a name is no number.
export const wrong: number = servers[0]!.name
console.log(JSON.stringify({ servers: servers.map((server) => server.name), name }))
`,
    )
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          ...{ strict: true, target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom'], types: ['node'] },
          ...{ outDir: 'out', rewriteRelativeImportExtensions: true, skipLibCheck: true },
        },
        files: [program, ...clients],
      }),
    )
    const run = promisify(execFile)
    const tsc = join(dirname(createRequire(import.meta.url).resolve('ts7/package.json')), 'bin/tsc')
    const compiled = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error)
    expect(compiled.stdout).toBe('')
    const token = chat.service.world.people['ann']!.token
    const { stdout } = await run(process.execPath, [
      join(folder, 'out/list.js'),
      ...[chat.service.url, 'token-of-pollster', token],
    ])
    expect(JSON.parse(stdout)).toEqual({ servers: ['Workshop'], name: 'ann' })
  })
})
