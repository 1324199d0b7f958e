// Records the demo of the home page into .vitepress/theme/recording.json: the real `framework dev` runs a bot of one file, ann uses its
// command, the file is saved with another answer, and ann uses the command again. Run it when the answers or the code should change.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const file = 'commands/hello.ts'
const said = '/hello'
const versions = ['Hello, ${ctx.user.name}!', 'Good to see you, ${ctx.user.name}!'].map(
  (answer) => `import { command } from '@botwright/framework'

export default command({
  description: 'Greets you',
  run: (ctx) => \`${answer}\`,
})
`,
)

const folder = await mkdtemp(join(root, 'packages/site/dist/recording-'))
await mkdir(join(folder, 'commands'))
await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
await writeFile(join(folder, file), versions[0])

const dev = spawn(process.execPath, [join(root, 'packages/framework/bin/framework.cjs'), 'dev', '--port', '0'], {
  cwd: folder,
  env: { ...process.env, NO_COLOR: '1' },
})
let output = ''
dev.stdout.on('data', (data) => (output += data))
dev.stderr.on('data', (data) => (output += data))

/** Waits up to 30 s for output of `framework dev`. */
async function printed(pattern) {
  for (let tries = 0; tries < 300; tries++) {
    const found = pattern.exec(output)
    if (found) return found
    await sleep(100)
  }
  throw new Error(`framework dev did not print ${pattern}:\n${output}`)
}

try {
  const [, address] = await printed(/Chat\s+(http:\S+?)\/?\s/)
  const headers = { 'content-type': 'application/json' }
  const call = async (method, path, body) => {
    const response = await fetch(`${address}/people/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`)
    return answer
  }
  const { token } = await call('POST', '/sessions', { username: 'ann' })
  headers.authorization = `Person ${token}`
  const { servers } = await call('GET', '/me')
  const { channels } = await call('GET', `/servers/${servers[0].id}`)
  const channel = channels.find(({ name }) => name === 'general')
  /** Uses the command, and returns the bot's answer. */
  const answer = async () => {
    const { id } = await call('POST', `/channels/${channel.id}/messages`, { content: said })
    for (let tries = 0; tries < 100; tries++) {
      const { messages } = await call('GET', `/channels/${channel.id}/messages`)
      const found = messages.find(({ reply_to_id }) => reply_to_id === id)
      if (found) return found.content
      await sleep(50)
    }
    throw new Error(`no answer to ${said}:\n${output}`)
  }
  const before = await answer()
  await writeFile(join(folder, file), versions[1])
  const [, reloadMs] = await printed(/↻ commands\/hello\.ts.*?(\d+) ms/)
  const after = await answer()
  const steps = [
    { code: versions[0], answer: before },
    { code: versions[1], answer: after },
  ]
  const recording = { file, person: 'ann', said, reloadMs: Number(reloadMs), steps }
  await writeFile(
    join(root, 'packages/site/.vitepress/theme/recording.json'),
    `${JSON.stringify(recording, null, 2)}\n`,
  )
} finally {
  dev.kill('SIGTERM')
  await new Promise((resolve) => dev.once('exit', resolve))
  await rm(folder, { recursive: true, force: true })
}
