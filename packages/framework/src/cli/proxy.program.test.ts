import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ChatRig, token } from '../tests/chat-rig.test.fixture.ts'
import { exitCodes } from '../program/exit-codes.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// `framework start` in a company network: only the proxy can reach the service, whose certificate is from an authority of its own.

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const password = 'canary-password-51bd'

/** For chat.example, signed by itself. Protects nothing. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBqjCCAU+gAwIBAgIUVYML3A0kd6MhimcHWueze1rS6WowCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMY2hhdC5leGFtcGxlMCAXDTI2MTEyNjE2Mjg0MFoYDzIxMjYx
MTAyMTYyODQwWjAXMRUwEwYDVQQDDAxjaGF0LmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAARLPthKfebyfCSeiQU2EpBGpJ/wbYxa/5j9NvslbF0/KJ1F
V+cqcf/U+RwZX0SuzEB/c5+Gdy3uSICuqY8GI8ZIo3cwdTAdBgNVHQ4EFgQUYy2V
ZYMwKDrU/15REDtqOkKUldMwHwYDVR0jBBgwFoAUYy2VZYMwKDrU/15REDtqOkKU
ldMwDwYDVR0TAQH/BAUwAwEB/zAiBgNVHREEGzAZggxjaGF0LmV4YW1wbGWCCWxv
Y2FsaG9zdDAKBggqhkjOPQQDAgNJADBGAiEAsLfoHv6DgaTcozn1z2SlMckQL+QT
LyIILENILbs7clsCIQDvdmZ0YynxdyCV0y/BX2aOQ1yrtbTL8gfiI3uIKrOnTQ==
-----END CERTIFICATE-----`
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJcN9dr9r1qqt41SD
16IwS5ibt7FvxyTr38Dj6aGcCTOhRANCAARLPthKfebyfCSeiQU2EpBGpJ/wbYxa
/5j9NvslbF0/KJ1FV+cqcf/U+RwZX0SuzEB/c5+Gdy3uSICuqY8GI8ZI
-----END PRIVATE KEY-----`

let rig: ChatRig
const children: ChildProcess[] = []
const servers: Server[] = []
const asked: string[] = []
let proxyPort: number

async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  rig = await ChatRig.start()
  mkdirSync(join(rig.root, 'node_modules'))
  symlinkSync(join(checkout, 'node_modules/@botwright'), join(rig.root, 'node_modules/@botwright'))
  mkdirSync(join(rig.root, 'dist'))
  writeFileSync(join(rig.root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(rig.root, 'company.pem'), cert)
  writeFileSync(join(rig.root, 'dist/ping.mjs'), "export default () => 'pong'")
  const entries = [{ kind: 'command', name: 'ping', file: 'commands/ping.ts' }]
  const modules = { 'commands/ping.ts': 'ping.mjs' }
  const definitions = [{ ...entries[0], description: 'ping' }]
  const manifest = { version: 1, entries, definitions, modules, config: null }
  writeFileSync(join(rig.root, 'dist/botwright.json'), JSON.stringify(manifest))

  const { host, hostname, port } = new URL(rig.service.base_url)
  // The local service accepts only its own name.
  const tls = createTlsServer({ cert, key }, (incoming, response) => {
    const { method, url, headers } = incoming
    const onward = request({ hostname, port, method, path: url, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    onward.once('error', () => response.destroy())
    response.once('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  const tlsPort = await listen(tls)
  const proxy = createServer()
  proxy.on('connect', ({ url, headers }, socket) => {
    asked.push(`${url} ${headers['proxy-authorization']}`)
    const onward = connect(tlsPort, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    socket.on('error', () => onward.destroy())
    onward.on('error', () => socket.destroy())
    socket.pipe(onward).pipe(socket)
  })
  proxyPort = await listen(proxy)
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const server of servers) server.close()
  await rig[Symbol.asyncDispose]()
})

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(checkout, 'packages/framework/bin/framework.cjs'), 'start'], {
    cwd: rig.root,
    env: { ...process.env, BOT_TOKEN: token, BOT_BASE_URL: 'https://chat.example/v1', ...env },
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) }
}

test('a bot runs through the proxy in .env with the authority of NODE_EXTRA_CA_CERTS, and the log names the proxy without its password', async () => {
  writeFileSync(join(rig.root, '.env'), `HTTPS_PROXY=http://me:${password}@127.0.0.1:${proxyPort}\n`)
  const bot = start({ NODE_EXTRA_CA_CERTS: join(rig.root, 'company.pem') })
  await expect.poll(bot.output, { interval: 20 }).toContain('is ready')
  await rig.says('ann', '/ping')
  await rig.until(async () => (await rig.texts()).includes('pong'))
  bot.child.kill('SIGTERM')
  expect(await bot.ended).toBe(exitCodes.stopped)
  expect(bot.output()).toContain(
    `requests to chat.example go through the proxy http://127.0.0.1:${proxyPort} (HTTPS_PROXY)`,
  )
  const encoded = Buffer.from(`me:${password}`).toString('base64')
  for (const secret of [password, encoded]) expect(bot.output()).not.toContain(secret)
  expect(new Set(asked)).toEqual(new Set([`chat.example:443 Basic ${encoded}`]))
  // Connections are kept: the bot made many more requests.
  expect(asked.length).toBeLessThan(8)
})

test('a bad proxy ends the start with 78, and the error names the variable and not its value', slow, async () => {
  const bot = start({ HTTPS_PROXY: `me:${password}@127.0.0.1` })
  expect(await bot.ended).toBe(exitCodes.config)
  expect(bot.output()).toContain('HTTPS_PROXY is not an http or https URL: set it to the URL of the proxy')
  expect(bot.output()).not.toContain(password)
})
