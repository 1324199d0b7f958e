// Shared by the soak tests: a bot, its service, and the guarantees for a channel.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startService } from '@botwright/service'

export { freePort } from '../dist/lib/free-port.test.fixture.js'

/** A folder for all output of a run. */
export const newFolder = (name) => mkdtempSync(join(tmpdir(), `botwright-${name}-`))

/** Makes the packages of this checkout available in a folder. */
export function homeOf(root) {
  mkdirSync(join(root, 'node_modules'))
  const packages = fileURLToPath(new URL('../../../node_modules/@botwright', import.meta.url))
  symlinkSync(packages, join(root, 'node_modules/@botwright'))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
}

/** Builds a bot from the given handlers, `{ 'events/message.js': source }`, in a folder with the packages of this checkout. */
export function writeBot(folder, files) {
  const root = join(folder, 'bot')
  mkdirSync(root)
  homeOf(root)
  const modules = {}
  const entries = Object.entries(files).map(([path, text]) => {
    const [, kind, name] = /^(\w+)s\/(.+)\.js$/.exec(path)
    const file = `${kind}s/${name}.ts`
    mkdirSync(dirname(join(root, 'dist', path)), { recursive: true })
    writeFileSync(join(root, 'dist', path), text)
    modules[file] = path
    return { kind, name, file }
  })
  const manifest = { version: 1, entries, definitions: entries, modules, config: null }
  writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify(manifest))
  return root
}

const program = fileURLToPath(new URL('../../framework/bin/framework.cjs', import.meta.url))

/** Starts a process of the bot, `framework start`, in the network namespace `network` if given. */
export function startBot({ root, args = [], env, network, onLine = () => {} }) {
  const command = [process.execPath, program, 'start', ...args]
  const [file, ...rest] = network ? ['ip', 'netns', 'exec', network, ...command] : command
  const child = spawn(file, rest, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let becomeReady
  const bot = { child, isReady: false, ready: new Promise((resolve) => (becomeReady = resolve)) }
  for (const stream of [child.stdout, child.stderr]) {
    let half = ''
    stream.setEncoding('utf8').on('data', (text) => {
      const lines = (half + text).split('\n')
      half = lines.pop()
      for (const line of lines) {
        onLine(line)
        if (!line.includes(' is ready')) continue
        bot.isReady = true
        becomeReady()
      }
    })
  }
  bot.ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return bot
}

/** Posts ann's messages. */
export function writer(service) {
  const authorization = `Person ${service.world.people.ann.token}`
  const { channels } = service.world.servers.Workshop
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

export const token = 'token-of-the-soak-bot'

/** Starts the local service with ann, her bot, and the given number of channels, c0, c1, …, in the server Workshop. */
export function startWorkshop(channels) {
  return startService({
    port: 0,
    data: ':memory:',
    world: {
      people: [{ username: 'ann' }],
      bots: [{ username: 'soaked', owner: 'ann', token }],
      servers: [{ name: 'Workshop', owner: 'ann', bots: ['soaked'], channels: channels.map((name) => ({ name })) }],
    },
  })
}

/**
 * In a channel, a message may start after the end of the previous one, or start again, marked, while no later one has started.
 * `all`: the notes of each channel, `start 7`, `start 7 again` or `end 7`. `written`: the number of messages sent to each channel.
 */
export function judge(all, written) {
  const disorder = []
  let lost = 0
  let repeated = 0
  let unmarked = 0
  for (const [name, notes] of all) {
    const ended = new Set()
    let last = 0
    for (const note of notes) {
      const [what, text, again] = note.split(' ')
      const count = Number(text)
      if (what === 'end') {
        if (count !== last) disorder.push(`${name}: ${count} ended after ${last} had started`)
        ended.add(count)
      } else if (count === last) {
        repeated++
        if (!again) unmarked++
      } else {
        if (count !== last + 1 || (last > 0 && !ended.has(last)))
          disorder.push(`${name}: ${count} started after ${last}`)
        last = count
      }
    }
    for (let count = 1; count <= written.get(name); count++) if (!ended.has(count)) lost++
  }
  return { lost, repeated, unmarked, disorder }
}
