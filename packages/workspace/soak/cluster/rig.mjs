// Machines of one bot, a Redis and a local service to try them on: what the soaks of the cluster share.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const { Redis } = createRequire(new URL('../../../cluster/package.json', import.meta.url))('ioredis')

export const number = (name, usual) => Number(process.env[name] ?? usual)

/** Mulberry32: the same seed gives the same trouble. */
export function seeded(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** A folder for everything that a run leaves behind. */
export const newFolder = () => mkdtempSync(join(tmpdir(), 'botwright-cluster-'))

/** A real Redis with its file, which may be killed and started again. `bind`: the addresses that it listens on. */
export async function startRedis(folder, { bind = ['127.0.0.1'], fsync = 'everysec' } = {}) {
  const port = await freePort()
  const dir = join(folder, 'redis')
  mkdirSync(dir, { recursive: true })
  const args = ['--port', port, '--dir', dir, '--bind', ...bind, '--protected-mode', 'no', '--appendonly', 'yes']
  let child
  const start = async () => {
    child = spawn(
      'redis-server',
      [...args, '--appendfsync', fsync, '--maxmemory-policy', 'noeviction', '--save', ''].map(String),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const running = child
    for await (const text of running.stdout.setEncoding('utf8')) if (text.includes('Ready to accept')) break
    running.stdout.resume()
  }
  const end = async (signal) => {
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  await start()
  return {
    port,
    url: `redis://${bind.at(-1)}:${port}`,
    start,
    /** What is kept of each channel under a name, by the channels' ids. */
    async stateOf(name) {
      const client = new Redis(port, '127.0.0.1')
      const mark = `:state:state:channel:${name}:`
      try {
        const keys = await client.keys(`*${mark}*`)
        const texts = keys.length > 0 ? await client.mget(keys) : []
        return new Map(
          keys.map((key, i) => [key.split(mark)[1], JSON.parse(texts[i].slice(texts[i].indexOf('{'))).value]),
        )
      } finally {
        client.disconnect()
      }
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** A built bot of the files given, `{ 'events/message.js': source }`, in a folder that finds the packages of this checkout. */
export function writeBot(folder, files, entries) {
  const root = join(folder, 'bot')
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  symlinkSync(
    fileURLToPath(new URL('../../../../node_modules/@botwright', import.meta.url)),
    `${root}/node_modules/@botwright`,
  )
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const modules = {}
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, 'dist', name, '..'), { recursive: true })
    writeFileSync(join(root, 'dist', name), text)
    modules[name.replace(/\.js$/, '.ts')] = name
  }
  const manifest = { version: 1, entries, definitions: entries, modules, config: null }
  writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify(manifest))
  return root
}

const program = fileURLToPath(new URL('../../../framework/bin/framework.mjs', import.meta.url))

/** One machine: `framework start --cluster`, in a network of its own when `network` names one. */
export function startMachine({ root, args = [], env, network, onLine = () => {} }) {
  const command = [process.execPath, program, 'start', ...args]
  const [file, ...rest] = network ? ['ip', 'netns', 'exec', network, ...command] : command
  const child = spawn(file, rest, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let becomeReady
  const machine = { child, isReady: false, frozen: false, ready: new Promise((resolve) => (becomeReady = resolve)) }
  for (const stream of [child.stdout, child.stderr]) {
    let half = ''
    stream.setEncoding('utf8').on('data', (text) => {
      const lines = (half + text).split('\n')
      half = lines.pop()
      for (const line of lines) {
        onLine(line, machine)
        if (!line.includes(' is ready')) continue
        machine.isReady = true
        becomeReady()
      }
    })
  }
  machine.ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return machine
}

/** People's messages, as fast as the service takes them with `lanes` at a time. */
export function writer(service, person, channels) {
  const authorization = `Person ${service.world.people[person].token}`
  return async (channel, content) => {
    const answer = await fetch(`${service.url}/people/v1/channels/${channels[channel]}/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ content }),
    })
    if (!answer.ok) throw new Error(`a message was refused: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}

/** The id of the bot that a token stands for. */
export async function botIdOf(service, token) {
  const answer = await fetch(`${service.base_url}/me`, { headers: { authorization: `Bot ${token}` } })
  return (await answer.json()).id
}

export { sleep }
