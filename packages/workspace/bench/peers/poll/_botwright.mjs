// The whole runtime: `startBot`, handlers from command files, and the journal in a file. No message budget: the rig measures how
// fast replies leave, and 30 a minute (§8) would limit that.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { discover, readConfig } from '@botwright/framework'
import { startBot } from '@botwright/framework/start'
import { ROOT } from '../../lib/util.mjs'

const handler = (reply) => (reply ? `async (ctx) => {\n    await ctx.reply('pong: ' + ctx.typed)\n  }` : `() => {}`)

/** Starts a bot whose handlers run in this thread (`inline`) or in a thread of their own (`worker`). */
export async function startPeer(dispatcher, { baseUrl, token, reply, commands, tick }, config = {}) {
  const root = path.join(ROOT, '.gen', `poll-botwright-${dispatcher}-${process.pid}`)
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  mkdirSync(path.join(root, 'commands'), { recursive: true })
  const files = commands.map((name) => `commands/${name}.mjs`)
  for (const file of files)
    writeFileSync(
      path.join(root, file),
      `import { command } from '@botwright/framework'\nexport default command({\n  description: 'Measures',\n  run: ${handler(reply)},\n})\n`,
    )
  const modules = Object.fromEntries(files.map((file) => [file, path.join(root, file)]))
  await startBot({
    source: { manifest: discover(files), root, modules },
    config: await readConfig({ messageBudget: false, ...config }),
    baseUrl: `${baseUrl}/v1`,
    token,
    stateDir: path.join(root, 'state'),
    dispatcher,
    observer: { outcome: () => tick() },
    log: { debug() {}, info() {}, warn: say, error: say },
  })
}

const say = (_facts, message) => process.stderr.write(`${message}\n`)
