// Shared by the cluster's soak tests: a Redis that can be killed, and its content.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { freePort } from '../rig.mjs'

const { Redis } = createRequire(new URL('../../../cluster/package.json', import.meta.url))('ioredis')

/** A real Redis with its file, which can be killed and started again. `bind`: the addresses that it listens on. */
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
    /** The stored values of a name, by channel id. */
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

/** The id of the bot of a token. */
export async function botIdOf(service, token) {
  const answer = await fetch(`${service.base_url}/me`, { headers: { authorization: `Bot ${token}` } })
  return (await answer.json()).id
}
