import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ChatRig, token } from '../tests/chat-rig.test.fixture.ts'

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))

interface Ready {
  ready: boolean
  problems: { code: string; text: string }[]
}

test('a handler whose list grows is reported as out of memory, not as blocked, in the log and on /readyz', async () => {
  await using rig = await ChatRig.start()
  mkdirSync(join(rig.root, 'node_modules'))
  symlinkSync(join(checkout, 'node_modules/@botwright'), join(rig.root, 'node_modules/@botwright'))
  mkdirSync(join(rig.root, 'dist/commands'), { recursive: true })
  writeFileSync(join(rig.root, 'package.json'), '{"name":"leak-bot","type":"module"}')
  // Arrays of 0.8 MB: the heap is full before the thread counts as blocked, also on a busy machine.
  const leak = 'export default () => { const list = []; for (let n = 0; ; n++) list.push(new Array(1e5).fill(n)) }'
  writeFileSync(join(rig.root, 'dist/commands/leak.js'), leak)
  const entry = { kind: 'command', name: 'leak', file: 'commands/leak.ts' }
  const modules = { [entry.file]: 'commands/leak.js' }
  writeFileSync(
    join(rig.root, 'dist/botwright.json'),
    JSON.stringify({
      version: 1,
      entries: [entry],
      definitions: [{ ...entry, description: 'Leaks' }],
      modules,
      config: null,
    }),
  )
  const child = spawn(
    process.execPath,
    [join(checkout, 'packages/framework/bin/framework.cjs'), 'start', 'dist', '--workers', '1'],
    {
      cwd: rig.root,
      env: {
        ...process.env,
        BOT_TOKEN: token,
        BOT_BASE_URL: rig.service.base_url,
        BOT_HEALTH_PORT: '0',
        NODE_OPTIONS: '--max-old-space-size=100',
      },
    },
  )
  try {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
    await expect.poll(() => output, { interval: 20 }).toContain('is ready')
    const url = /health endpoint listening on (http:[^"]+)"/.exec(output)![1]!
    await rig.says('ann', '/leak')
    await expect.poll(() => output, { interval: 50 }).toContain('is set aside')
    expect(output).toMatch(/commands\/leak\.ts: used up its memory \(a heap of \d+ MB\)/)
    const { ready, problems } = (await (await fetch(`${url}/readyz`)).json()) as Ready
    expect(ready).toBe(true)
    expect(problems.map(({ code }) => code)).toEqual(['handler_out_of_memory', 'dead_letters'])
  } finally {
    child.kill('SIGKILL')
  }
})
