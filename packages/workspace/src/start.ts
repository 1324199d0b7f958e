import { defaultWorld, type Service, startService } from '@botwright/service'
import { joinChat, type Person, type Seen } from '@botwright/testing'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs, promisify, styleText } from 'node:util'
import { actionLine, messageLines } from './lib/transcript.ts'
import { untilOnline } from './lib/until-online.ts'

/*
 * `npm start`: starts the local service and the bot of examples/poll, and prints a short conversation of two people over real HTTP
 * as a transcript. Serves the page until Ctrl-C. With --exit, ends after the conversation, with 0 only if every expected answer arrived.
 */

const PORT = 7420
const BOT = 'pollster'
const root = fileURLToPath(new URL('../../../', import.meta.url))
const framework = `${root}packages/framework/bin/framework.cjs`
const example = `${root}examples/poll`

interface Conversation {
  converse: (options: {
    ann: Person
    bob: Person
    tell: (who: string, what: string, seen?: Seen) => void
  }) => Promise<void>
}

const { values } = parseArgs({ options: { exit: { type: 'boolean', default: false }, port: { type: 'string' } } })

/** Starts the service on its usual port, or on a free one if that port is in use. */
async function openService(token: string) {
  const world = defaultWorld(BOT, token)
  const port = values.port === undefined ? PORT : Number(values.port)
  try {
    return await startService({ port, world })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || values.port !== undefined) throw error
    console.log(`Port ${PORT} is in use; using a free one.`)
    return startService({ port: 0, world })
  }
}

async function play(service: Service, bot: ChildProcess) {
  const { converse } = (await import(pathToFileURL(`${example}/.botwright/types/conversation.js`).href)) as Conversation
  const chat = joinChat(service, { bot: BOT })
  const ann = chat.person('ann')
  const bob = chat.person('bob')
  await untilOnline(ann, bot)
  const names = new Map([ann, bob].map((person) => [person.id, person.username]))
  console.log(`\n  ${styleText('bold', 'Workshop')} ${styleText('dim', '#general')}\n`)
  await converse({
    ann,
    bob,
    tell: (who, what, seen) => {
      if (who) console.log(actionLine(who, what))
      if (seen) console.log(messageLines(seen, names).join('\n'))
    },
  })
}

async function main(): Promise<number> {
  await promisify(execFile)(process.execPath, [framework, 'build'], { cwd: example })
  const token = `demo-${crypto.randomUUID()}`
  await using service = await openService(token)
  const bot = spawn(process.execPath, [framework, 'start'], {
    cwd: example,
    env: {
      ...process.env,
      BOT_TOKEN: token,
      BOT_BASE_URL: service.base_url,
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  try {
    await play(service, bot)
    console.log(`\n  ${styleText('green', '✓')} all expected answers arrived`)
    if (values.exit) return 0
    console.log(`\n  ➜  ${styleText('bold', 'Chat')}  ${styleText('cyan', service.page)}`)
    console.log(`     sign in as ann, bob or carol, and type /poll "Tea?" yes no\n     Press Ctrl-C to stop\n`)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(bot, 'exit')])
    return 0
  } catch (error) {
    console.error(`\n  ${styleText('red', '✗')} ${(error as Error).message}`)
    return 1
  } finally {
    if (bot.exitCode === null) {
      bot.kill('SIGTERM')
      await once(bot, 'exit')
    }
  }
}

process.exitCode = await main()
