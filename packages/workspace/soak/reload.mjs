// Measures hot reload on the real `framework dev`: node packages/workspace/soak/reload.mjs   (after npm run build)
//   FILES=100 SAVES=50      a save -> the new code answers, in ms, with that many command files
//   RELOADS=200 RATE=20     that many saves while that many events a second arrive: nothing lost, nothing answered twice, heap growth
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request, Agent } from 'node:http'

const number = (name, usual) => Number(process.env[name] ?? usual)
const [FILES, SAVES, RELOADS, RATE] = [
  number('FILES', 100),
  number('SAVES', 50),
  number('RELOADS', 200),
  number('RATE', 20),
]
const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'botwright-reload-'))
const code = (name, version) =>
  `import { command } from '@botwright/framework'\nexport default command({ description: '${name}', run: (ctx) => '${name} v${version} ' + ctx.event.content })\n`
mkdirSync(join(root, 'commands'))
mkdirSync(join(root, 'node_modules'))
symlinkSync(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
writeFileSync(join(root, 'package.json'), '{"type":"module"}')
// The budget of 30 messages a minute is the service's; the measurement asks for more, so answers are counted in the bot itself.
for (let i = 0; i < FILES; i++) writeFileSync(join(root, `commands/cmd${i}.ts`), code(`cmd${i}`, 0))
