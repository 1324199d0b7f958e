// Receiver, feed, journal (a file) and a loaded bot, connected as in `startBot`. The bot responds once the journal has the event.
// The rig repeats one request, and a known id runs no handler (§6). So after the signature check, each request gets the next
// id and one of 50 channels, as in t1: events of one channel keep their order.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '@botwright/clock'
import { createEventReceiver, createFeed, openJournal } from '@botwright/events'
import { discover, loadBot } from '@botwright/framework'
import { ROOT } from '../../lib/util.mjs'
import { request as raw } from './raw.mjs'

export const request = (options) => {
  const { headers, ...rest } = raw(options)
  return { ...rest, headers: { ...headers, 'x-service-bot': 'b' } }
}

export async function start({ secret, tick }) {
  globalThis.botwrightTick = tick
  const root = path.join(ROOT, '.gen', `webhook-botwright-${process.pid}`)
  const clean = () => rmSync(root, { recursive: true, force: true })
  process.on('exit', clean)
  process.on('SIGTERM', () => process.exit(0))
  mkdirSync(path.join(root, 'commands'), { recursive: true })
  const files = Array.from({ length: 20 }, (_, i) => `commands/cmd${i}.mjs`)
  for (const file of files)
    writeFileSync(
      path.join(root, file),
      `import { command } from '@botwright/framework'\nexport default command({ description: 'Measures', run: () => globalThis.botwrightTick() })\n`,
    )
  const clock = systemClock
  const bot = await loadBot(
    {
      manifest: discover(files),
      root,
      modules: Object.fromEntries(files.map((file) => [file, path.join(root, file)])),
    },
    { call: noCall, clock, log: { debug() {}, info() {}, warn: say, error: say }, me: { id: 'b', username: 'bench' } },
  )
  const report = ({ level, message }) => level === 'info' || say(undefined, message)
  const journal = openJournal({
    file: path.join(root, 'journal.db'),
    baseUrl: 'http://127.0.0.1/v1',
    botId: 'b',
    clock,
    report,
  })
  const feed = createFeed({
    listEvents: async () => ({ events: [], last: 1 }),
    journal,
    clock,
    report,
    run: (delivery) => bot.handle(delivery),
    delivery: 'webhook',
  })
  let id = 1000
  const channels = Array.from(
    { length: Number(process.env.BOTWRIGHT_CHANNELS ?? 50) },
    (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  )
  const receiver = createEventReceiver({
    secrets: [secret],
    botId: 'b',
    path: '/hook',
    report,
    clock,
    offer(event) {
      event.id = ++id
      event.data.channel_id = channels[id % channels.length]
      return feed.offer(event)
    },
  })
  feed.start()
  return receiver.listen()
}

const noCall = async (name) => {
  throw new Error(`${name}: the measured handlers call nothing`)
}
const say = (_facts, message) => process.stderr.write(`${message}\n`)
